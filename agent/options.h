/*
 * options - the agent's options: defaults, file, environment, command line.
 *
 * One table. A row's long name is its flag (--num-ctx), its environment variable
 * (GLOVEBOX_AGENT_NUM_CTX) and its key in ~/.config/glovebox/agent.json ("num_ctx"). Flags override
 * the environment, which overrides the file, which overrides defaults. Flags may stand before and
 * after the task; "--" ends them. The limits of `glovebox run` that a warm cell has are flags,
 * variables and keys as well, read by their own table (spec/run_settings.c).
 *
 * Reads the environment and one file.
 */
#ifndef GLOVEBOX_AGENT_OPTIONS_H
#define GLOVEBOX_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/data/chat.h"
#include "base/buf.h"
#include "base/err.h"
#include "spec/setting.h"
#include "spec/spec.h"

enum agent_api { API_OLLAMA, API_OPENAI };
enum agent_mode { MODE_AUTO, MODE_TOOLS, MODE_FENCED };
enum agent_state { STATE_SESSION, STATE_FRESH };
enum agent_images { IMAGES_AUTO, IMAGES_NEVER };

enum vision { VISION_AUTO, VISION_OFF, VISION_ON };

struct agent_options {
	/* the model; texts live until agent_options_fini() */
	const char *model;
	const char *url;       /* NULL: the server on this machine */
	const char *server_ca; /* file; NULL: this machine's certificates */
	int api;               /* enum agent_api */
	int mode;              /* enum agent_mode */
	int think;             /* enum chat_think */
	int vision;            /* enum vision */
	uint64_t num_ctx;
	uint64_t num_predict;
	uint64_t temperature_milli;
	int64_t seed;
	const char *keep_alive;
	const char *system; /* file; NULL: ours */
	bool stream;

	/* the loop */
	uint64_t iterations;
	uint64_t deadline_ms; /* 0: none */

	/* the sandbox */
	uint64_t timeout_ms; /* for one execution */
	const char *image;
	bool trust_image;    /* accept an imported image */
	bool goes_on;        /* continue the last conversation */
	bool reruns;         /* run its code again */
	const char *preload; /* NULL: the image's */
	const char *workspace;
	struct written_path output;
	bool workspace_given;       /* it must exist */
	int state;                  /* enum agent_state */
	struct sandbox_spec limits; /* only its limits are used; it owns the texts, too */

	/* what is shown and kept */
	bool verbose;
	bool json;
	bool raw;
	bool approve; /* a person approves code before it runs */
	int images;   /* enum agent_images */
	struct written_path transcript;

	const char *task; /* the operands, joined with spaces, perhaps ""; NULL: none */
	bool help;
};

/*
 * agent_options_read - read all sources, in their order.
 *
 * @argv  argv[0] is ignored; the others are reordered.
 * @out   owned: agent_options_fini(), on error too.
 * Errors: ERR_INPUT; the text names the flag, variable or key, and the values that it accepts.
 */
int agent_options_read(int argc, char **argv, struct agent_options *out, struct err *e);
void agent_options_fini(struct agent_options *o);

/* Write the help and the manual page from the table. */
void agent_options_help(struct buf *out);
void agent_options_man(struct buf *out);
/* "man" or "words": for packages, and for the completion of `glovebox`. false: neither. */
bool agent_options_generate(const char *what, struct buf *out);
void agent_options_words(struct buf *out); /* every flag on a line of its own, for completion */

extern const struct setting agent_settings[];

/*
 * Return the agent's rows with the limits of `glovebox run` that it has. @given: which of its rows
 * were set, or NULL.
 */
struct settings agent_settings_of(struct agent_options *o, uint64_t *given);

#endif
