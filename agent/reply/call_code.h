/*
 * call_code - find the code in the arguments of a call.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_CALL_CODE_H
#define GLOVEBOX_AGENT_CALL_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

#define CALL_NAME_MAX 60 /* longest name of an unknown tool that a message to the model repeats */

/*
 * call_code - find the code in the value of "arguments", or in an object around it.
 *
 * @arguments    an object, a string with an object, or a string with the code.
 * @description  out, owned; NULL if there is none.
 * Returns the code, owned; NULL unless there is exactly one candidate.
 */
char *call_code(const struct json *arguments, char **description);

/*
 * call_answer - find the answer in the arguments of a call of final_answer.
 *
 * @arguments  a value, or an object with exactly one candidate.
 * Returns it as text, owned; NULL: there is none.
 */
char *call_answer(const struct json *arguments);

/* Parse JSON as models write it. NULL: not JSON; `used`: how much of the text was read. */
struct json *call_json(const char *text, size_t length, size_t *used);

/* Whether a name is "execute_python", also behind "functions.". */
bool call_name_is_ours(const char *name);

/* Whether a name is "final_answer", in any spelling: models call it as a tool, which it is not. */
bool call_name_is_answer(const char *name);

#endif
