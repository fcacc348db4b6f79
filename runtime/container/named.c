/*
 * named - the sandbox that stays which a word of the command line names.
 */
#include "container/named.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "cli/command.h"
#include "client/registry.h"
#include "monitor/program_ask.h"
#include "monitor/session_find.h"
#include "monitor/session_kept.h"

/* Each command, and that which does it to a session, or comes near. */
static const struct {
	const char *verb;
	const char *remedy;
} named_remedies[] = {
	{"attach",   "session repl NAME is a prompt on it"                                     },
	{"commit",   "its root cannot be changed; session get fetches files of /workspace"     },
	{"diff",     "its root cannot be changed; session files lists /workspace"              },
	{"export",   "its root is its image's; session get fetches files of /workspace"        },
	{"generate", "it ends with the warm supervisor, and no unit could start it again"      },
	{"inspect",  "session ls --json, or ps --json of a server's, describes it"             },
	{"logs",     "it keeps no output; session exec prints that of a call"                  },
	{"pause",    "session freeze NAME stops it"                                            },
	{"port",     "session ls --json, or ps --json of a server's, describes it"             },
	{"rename",   "it keeps its name; session new --name chooses one"                       },
	{"restart",  "session rm NAME ends it, and session new --name NAME begins another"     },
	{"stats",    "session ls --json, or ps --json of a server's, describes it"             },
	{"top",      "exec NAME ps -e lists its processes"                                     },
	{"update",   "session egress NAME LIST replaces its list; session new has limits"      },
	{"wait",     "it ends by session rm, --idle and --ttl; session ls lists those that run"},
};

static const char *named_remedy(const char *verb)
{
	for (size_t i = 0; i < sizeof(named_remedies) / sizeof(named_remedies[0]); i++) {
		if (!strcmp(verb, named_remedies[i].verb))
			return named_remedies[i].remedy;
	}
	return "session --help lists what is done to one";
}

bool named_is_session(const char *word)
{
	return !invoked_as_docker() && session_find_has(word);
}

/* A process that ps lists, and that does not stay. */
struct named_runs {
	const char *word;
	char kind[16]; /* "": none has the name */
};

static void named_look(void *context, const struct registered *r)
{
	struct named_runs *s = context;

	if (!strcmp(r->name, s->word))
		snprintf(s->kind, sizeof(s->kind), "%s", r->entry.kind);
}

static int named_say_kind(const char *verb, const char *word, const char *kind, struct err *e)
{
	const bool run = !strcmp(kind, REGISTRY_RUN);

	return err_set(
		e, ERR_UNSUPPORTED,
		"%.100s is %s%s, and %s is for sandboxes of run --detach: kill and stop end it",
		word, run ? "a run in the foreground" : "one of ps, of the kind ", run ? "" : kind,
		verb);
}

/* A session has another name to docker: none. What would let it go on is told all the same. */
static int named_explain_docker(const char *verb, const char *word, struct err *e)
{
	const bool goes_on = !strcmp(verb, "start") || !strcmp(verb, "unpause");

	return goes_on && session_find_has(word)
		       ? err_set(e, ERR_NOT_FOUND,
				 "No such container: %.100s: it is a session, and glovebox session "
				 "thaw %.100s lets it go on",
				 word, word)
		       : -1;
}

int named_explain(const char *verb, const char *word, struct err *e)
{
	struct named_runs runs = {.word = word};
	struct err ignored;

	if (e->kind != ERR_NOT_FOUND)
		return -1;
	if (invoked_as_docker())
		return named_explain_docker(verb, word, e);
	if (named_is_session(word))
		return err_set(e, ERR_UNSUPPORTED, "%.100s is a session: %s", word,
			       named_remedy(verb));
	if (!registry_each(named_look, &runs, &ignored) && *runs.kind)
		return named_say_kind(verb, word, runs.kind, e);
	if (session_kept_has(word))
		return err_set(e, ERR_NOT_FOUND,
			       "the session %.100s has ended, and its files are kept: session new "
			       "--restore --name %.100s begins with them",
			       word, word);
	return err_set(e, ERR_NOT_FOUND,
		       "No such container: %.100s: ps -a lists those that there are", word);
}

int named_find(const char *verb, const char *word, struct record *out, struct err *e)
{
	return record_find(word, out, e) ? named_explain(verb, word, e) : 0;
}

int named_find_program(const char *verb, const char *word, struct record *out, uint32_t *number,
		       struct err *e)
{
	auto_free char *name = own_strndup(word, strcspn(word, "/"));
	struct err ignored;
	auto_record struct record sandbox = {.dir = -1};

	if (!program_find(word, out, number, e))
		return 0;
	/* The name may be right, and the number wrong. */
	return record_find(name, &sandbox, &ignored) ? named_explain(verb, name, e) : -1;
}
