/*
 * images_bytes - the routes of images whose body is an archive: load, import, build; and pull.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/errand.h"
#include "engine/images_find.h"
#include "engine/progress.h"
#include "engine/routes.h"
#include "engine/spool.h"
#include "web/query.h"

void images_load(struct request *r)
{
	const struct progress_wish wish = {.key = "stream", .has_ends = true, .is_quiet = true};
	auto_list struct list words = {0};
	int fd = spool_end(r);

	if (fd < 0)
		return;
	reply_words(&words, "load");
	progress_run(r, &words, fd, &wish);
}

/* -- POST /images/create ---------------------------------------------------------------------- */

static void images_bytes_import(struct request *r, const char *from, int fd)
{
	const struct progress_wish wish = {.key = "status", .is_quiet = true};
	auto_free char *reference = errand_reference(r);
	auto_list struct list changes = {0};
	auto_list struct list words = {0};

	if (strcmp(from, "-") != 0 || !*reference || *reference == ':') {
		request_refuse(r, 400,
			       *from == '-' ? "repo: an image has a name here"
					    : "fromSrc: an archive is taken from the body here, -");
		own_close(&fd);
		return;
	}
	list_add(&words, "import");
	query_list(request_query(r), "changes", &changes);
	for (size_t i = 0; i < changes.count; i++)
		list_addf(&words, "--change=%s", changes.items[i]);
	reply_words(&words, "--", "-", reference);
	progress_run(r, &words, fd, &wish);
}

static void images_bytes_pull(struct request *r, const char *from)
{
	auto_free char *tag = query_text(request_query(r), "tag");
	auto_free char *platform = query_text(request_query(r), "platform");
	const bool by_digest = tag && !strncmp(tag, "sha256:", 7);
	auto_free char *name = own_printf(
		"%s%s%s", from, tag && *tag ? (by_digest ? "@" : ":") : "", tag ? tag : "");
	auto_free char *reference = images_reference(r, name);
	struct progress_wish wish = {.key = "status"};
	auto_list struct list words = {0};

	if (!reference)
		return;
	wish.lost = own_printf(
		"pull access denied for %s, repository does not exist or may require "
		"'docker login'",
		reference);
	reply_words(&words, "pull");
	if (platform && *platform)
		list_addf(&words, "--platform=%s", platform);
	list_add(&words, reference);
	progress_run(r, &words, -1, &wish);
}

void images_create(struct request *r)
{
	auto_free char *image = query_text(request_query(r), "fromImage");
	auto_free char *archive = query_text(request_query(r), "fromSrc");
	auto_fd int fd = spool_end(r);

	if (fd < 0)
		return;
	if (image && *image)
		images_bytes_pull(r, image);
	else if (archive && *archive)
		images_bytes_import(r, archive, take_fd(&fd));
	else
		request_refuse(r, 400, "fromImage or fromSrc is needed");
}

/* -- POST /build ------------------------------------------------------------------------------ */

/* Parameters that have no flag, and change nothing where they say what is the case anyway. */
static const struct {
	const char *name;
	const char *harmless; /* words with a bar around each */
} images_bytes_moot[] = {
	{"remote",       "||"              },
	{"cpushares",    "||0|"            },
	{"cpusetcpus",   "||"              },
	{"cpuperiod",    "||0|"            },
	{"cpuquota",     "||0|"            },
	{"extrahosts",   "||null|[]|{}|"   },
	{"squash",       "||0|false|False|"},
	{"outputs",      "||null|[]|"      },
	{"cgroupparent", "||"              },
	{"ulimits",      "||null|[]|"      },
};

static bool images_bytes_check_moot(struct request *r)
{
	for (size_t i = 0; i < sizeof(images_bytes_moot) / sizeof(images_bytes_moot[0]); i++) {
		auto_free char *value = query_text(request_query(r), images_bytes_moot[i].name);
		auto_free char *word = own_printf("|%s|", value ? value : "");

		if (strstr(images_bytes_moot[i].harmless, word))
			continue;
		request_refuse(r, 400, "%s: not supported by builds here",
			       images_bytes_moot[i].name);
		return false;
	}
	return true;
}

/* {"NAME": "VALUE"}: a null copies nothing of the server's. */
static bool images_bytes_add_arguments(struct request *r, struct list *words)
{
	auto_free char *text = query_text(request_query(r), "buildargs");
	auto_json struct json *arguments = NULL;
	struct err ignored;

	if (!text || !*text)
		return true;
	arguments = json_parse(text, strlen(text), &ignored);
	if (!arguments || (!json_is_object(arguments) && !json_is_null(arguments))) {
		request_refuse(r, 400, "buildargs: an object of texts is needed");
		return false;
	}
	for (const struct json *a = json_first(arguments); a; a = json_next(a)) {
		if (json_string(a))
			list_addf(words, "--build-arg=%s=%s", json_key(a), json_string(a));
	}
	return true;
}

static void images_bytes_add_flags(const char *query, struct list *words)
{
	static const struct {
		const char *name;
		const char *flag;
	} texts[] = {
		{"target",      "target"  },
		{"platform",    "platform"},
		{"networkmode", "network" },
	};
	static const char *const booleans[] = {"pull", "nocache", "q"};
	static const char *const flags[] = {"--pull", "--no-cache", "--quiet"};
	auto_free char *memory = query_text(query, "memory");

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		auto_free char *value = query_text(query, texts[i].name);

		if (value && *value)
			list_addf(words, "--%s=%s", texts[i].flag, value);
	}
	for (size_t i = 0; i < sizeof(booleans) / sizeof(booleans[0]); i++) {
		if (query_is_true(query, booleans[i], false))
			list_add(words, flags[i]);
	}
	if (memory && *memory && strcmp(memory, "0") != 0)
		list_addf(words, "--memory=%s", memory);
}

void images_build(struct request *r)
{
	struct progress_wish wish = {.key = "stream", .has_ends = true};
	const char *query = request_query(r);
	auto_free char *file = query_text(query, "dockerfile");
	auto_list struct list tags = {0};
	auto_list struct list words = {0};
	auto_fd int fd = spool_end(r);

	if (fd < 0 || !images_bytes_check_moot(r))
		return;
	list_add(&words, "build");
	if (!images_bytes_add_arguments(r, &words))
		return;
	images_bytes_add_flags(query, &words);
	query_list(query, "t", &tags);
	for (size_t i = 0; i < tags.count; i++) {
		if (*tags.items[i])
			list_addf(&words, "--tag=%s", tags.items[i]);
	}
	if (file && *file)
		list_addf(&words, "--file=%s", file);
	wish.is_quiet = query_is_true(query, "q", false);
	if (!wish.is_quiet)
		list_add(&words, "--verbose");
	list_add(&words, "-");
	progress_run(r, &words, take_fd(&fd), &wish);
}
