/*
 * options - what can be set about the agent, and where it may be set.
 *
 * One table. A row's long name is its flag (--num-ctx), its environment variable
 * (GLOVEBOX_AGENT_NUM_CTX) and its key in ~/.config/glovebox/agent.json ("num_ctx"). The
 * later wins: default, file, environment, flag. Flags may stand before and after the task;
 * "--" ends them. Those limits of `glovebox run` that a warm cell has are flags, variables and
 * keys as well, and are read by its own table (spec/run_settings.c).
 *
 * Reads the environment and one file.
 */
#ifndef GLOVEBOX_AGENT_OPTIONS_H
#define GLOVEBOX_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/data/chat.h"
#include "base/buf.h"
#include "base/err.h"

enum agent_api { API_OLLAMA, API_OPENAI };
enum agent_mode { MODE_AUTO, MODE_TOOLS, MODE_FENCED };
enum agent_state { STATE_SESSION, STATE_FRESH };
enum agent_images { IMAGES_AUTO, IMAGES_NEVER };

struct agent_options {
	/* the model */
	char *model;
	char *url; /* NULL: the server of this machine */
	int api;   /* enum agent_api */
	int mode;  /* enum agent_mode */
	int think; /* enum chat_think */
	uint64_t num_ctx;
	uint64_t num_predict;
	uint64_t temperature_milli;
	int64_t seed;
	char *keep_alive;
	char *system; /* file; NULL: ours */
	bool stream;

	/* the loop */
	uint64_t iterations;
	uint64_t deadline_ms; /* 0: none */

	/* the sandbox */
	uint64_t timeout_ms; /* of one execution */
	char *image;
	bool trust_image; /* though it was imported */
	char *workspace;
	char *output;
	bool workspace_given; /* then it must be there */
	int state;            /* enum agent_state */
	char **limits;        /* flags of `glovebox run`: "--memory=1g", ..., NULL */
	size_t limit_count;

	/* what is shown and kept */
	bool verbose;
	bool json;
	bool raw;
	int images; /* enum agent_images */
	char *transcript;
	char *replay;

	char *task; /* the operands, with spaces between, perhaps ""; NULL: none */
	bool help;
};

/*
 * agent_options_read - from all places, in their order.
 *
 * @argv  argv[0] is not looked at.
 * @out   owned: agent_options_fini(), on error too.
 * Errors: ERR_INPUT; the text names the flag, variable or key, and what it would take.
 */
int agent_options_read(int argc, char *const *argv, struct agent_options *out, struct err *e);
void agent_options_fini(struct agent_options *o);

/* The texts for people, made from the table. */
void agent_options_help(struct buf *out);
void agent_options_man(struct buf *out);
void agent_options_words(struct buf *out); /* every flag, a line each: for completion */

/* --- between the files that read options ------------------------------------------------ */

enum option_kind {
	OPTION_TEXT,
	OPTION_CHOICE,   /* int: the index in `choices` */
	OPTION_ON_OFF,   /* the same with "on" and "off"; a truth as well, and --no-NAME */
	OPTION_SWITCH,   /* bool; --no-NAME, too */
	OPTION_NUMBER,   /* uint64_t, min to max */
	OPTION_INTEGER,  /* int64_t, min to max */
	OPTION_DURATION, /* uint64_t: ms, min to max; "0": none, where min is 0 */
	OPTION_MILLI,    /* uint64_t: thousandths, up to max */
	OPTION_LEASE,    /* char *: seconds, or numbers with units, as Ollama reads it */
};

struct option_row {
	const char *name;
	char letter;      /* 0: none */
	const char *arg;  /* what the value is called; NULL: a switch */
	const char *also; /* another variable of the environment, weaker; NULL */
	enum option_kind kind;
	size_t offset; /* in struct agent_options */
	const char *fallback;
	int64_t min;
	int64_t max;
	const char *choices; /* "a|b|c" */
	const char *help;
};

extern const struct option_row option_rows[]; /* ends with a null name */

const struct option_row *option_row_find(const char *name, size_t length);

/* Set one row. Errors: ERR_INPUT, without the row's name. */
int option_row_apply(const struct option_row *row, const char *value, struct agent_options *o,
		     struct err *e);

/* A limit of `glovebox run`: NULL when there is none of that name, or none that a cell has. */
const struct setting *option_limit_find(const char *name, size_t length);

/* One more; tried here, and copied. Errors: ERR_INPUT, without its name. */
int option_limit_add(struct agent_options *o, const struct setting *limit, const char *value,
		     struct err *e);

/* Of a name that option_limit_find() does not know: -1 if it is a limit that no cell has, so that
 * nobody thinks it holds. Errors: ERR_INPUT, without the name. */
int option_limit_refuse(const char *name, size_t length, struct err *e);

/* Read the file, then the environment. */
int option_sources_read(struct agent_options *o, struct err *e);

#endif
