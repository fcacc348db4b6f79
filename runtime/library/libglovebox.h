/*
 * libglovebox - run Python in a warm sandbox, from a program of yours.
 *
 * A run is asked for in the words of glovebox run, and they mean the same:
 *
 *	const char *const words[] = {"--timeout", "5s", "python", "python3", "-c", source, NULL};
 *	struct glovebox_result result;
 *	char why[GLOVEBOX_WHY];
 *
 *	if (glovebox_run(words, &result, why))
 *		errx(1, "%s", why);
 *	fwrite(result.text[0], 1, result.length[0], stdout);
 *	glovebox_result_fini(&result);
 *
 * The user's warm supervisor gives the cell: `glovebox warm start python`. A run that no cell can
 * serve is refused, because a cold sandbox begins as a copy of the process that starts it.
 *
 * A program that drives many runs, or waits for more, uses glovebox_start() and the functions below
 * it instead of glovebox_run(): none of them waits.
 *
 * The library keeps no state between runs, changes no signal's disposition, and writes to no stream
 * of the caller's. It ends the process where memory is exhausted. Runs of one process are driven by
 * one thread at a time. Of the environment it reads XDG_RUNTIME_DIR, for the supervisor's socket,
 * and PATH: glovebox-egress, which --egress starts, lies beside the glovebox found there.
 *
 * Runs: in your process, with its privileges; it needs none. `pkg-config --libs libglovebox` says
 * what to link.
 */
#ifndef LIBGLOVEBOX_H
#define LIBGLOVEBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GLOVEBOX_WHY 512 /* bytes of an error's line */

struct glovebox_result {
	int exit_status;     /* as that of glovebox run: 0 to 255 */
	const char *verdict; /* how the run ended, as in results: "exited", "wall_time"; static */
	char *text[2];       /* standard output and error, with a NUL behind them; owned */
	size_t length[2];    /* bytes */
	bool is_cut[2];      /* more came than --output-limit */
	uint64_t duration_us;
	uint64_t cpu_us;            /* 0: unknown */
	uint64_t memory_peak_bytes; /* 0: unknown */
};

/*
 * glovebox_run - run a program and wait for its end.
 *
 * @words  behind "glovebox run": flags, the image, the program and its arguments; end with NULL.
 *         Standard input is empty. Flags that shape the sandbox are known (docs/limits.md), but
 *         for --tty, --interactive and --name; flags that shape what the command prints are not.
 * @out    on success end with glovebox_result_fini(). A program that fails, or reaches a limit,
 *         is a success here: its exit status and verdict tell.
 * @why    on failure: one line, without control characters, that names the thing and the remedy.
 * Returns 0; -1: the run could not be made.
 */
int glovebox_run(const char *const *words, struct glovebox_result *out, char why[GLOVEBOX_WHY]);

void glovebox_result_fini(struct glovebox_result *r);

/* -- without waiting --------------------------------------------------------------------------- */

struct glovebox_job;

/* glovebox_start - ask for a run, as glovebox_run(). NULL with @why; end it with glovebox_end(). */
struct glovebox_job *glovebox_start(const char *const *words, char why[GLOVEBOX_WHY]);

/*
 * glovebox_fd - a descriptor that poll(2) reports as readable when a step is due. It is the job's,
 * and stays the same one. -1 with @why: this process is out of descriptors.
 */
int glovebox_fd(struct glovebox_job *j, char why[GLOVEBOX_WHY]);

/* glovebox_step - do what is due. Returns whether the run is over. */
bool glovebox_step(struct glovebox_job *j);

/* glovebox_cancel - end the program; steps are due until it is over. Its verdict is "cancelled". */
void glovebox_cancel(struct glovebox_job *j);

/*
 * glovebox_end - take the result, as glovebox_run(), and free the job. A run that is not over is
 * killed, and is a failure.
 */
int glovebox_end(struct glovebox_job *j, struct glovebox_result *out, char why[GLOVEBOX_WHY]);

#ifdef __cplusplus
}
#endif

#endif
