/*
 * other_language - code in another language than Python: a program of the image reads it.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_OTHER_LANGUAGE_H
#define GLOVEBOX_REQUEST_OTHER_LANGUAGE_H

#include "service/script.h"

/*
 * other_language_plan - run code with an interpreter: the script is one that executes it.
 *
 * @interpreter  "node".
 * @code  borrowed. @args  gets the script's arguments; those of the program follow.
 */
void other_language_plan(struct script_request *r, const char *interpreter, const char *code,
			 struct list *args);

#endif
