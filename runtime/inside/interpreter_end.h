/*
 * interpreter_end - the end of a program: as python(1) ends, except for the nursery's modules.
 *
 * Runs: the program of a cell, confined, holding the GIL. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_INTERPRETER_END_H
#define GLOVEBOX_INSIDE_INTERPRETER_END_H

#include "inside/interpreter.h"

/*
 * interpreter_end - finalize, and end the process.
 *
 * @status       the program's; 120 instead if its output cannot be written.
 * @interrupted  end the process as SIGINT would.
 */
__attribute__((noreturn)) void interpreter_end(const struct python_api *api,
					       const struct python_program *program, int status,
					       int interrupted);

/* Like flush_io(): flush sys.stderr and sys.stdout; failures are ignored. */
void interpreter_flush(const struct python_api *api);

#endif
