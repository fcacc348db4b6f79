/*
 * call_code - the code in the arguments of a call.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_CALL_CODE_H
#define GLOVEBOX_AGENT_CALL_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

#define CALL_NAME_MAX 60 /* longest name of another tool in a message to the model */

/*
 * call_code - the code in the value of "arguments", or in an object that contains them.
 *
 * @arguments    an object, a string that is one, or a string that is the code itself.
 * @description  out, owned; NULL if there is none.
 * Returns the code, owned; NULL unless exactly one string can be it.
 */
char *call_code(const struct json *arguments, char **description);

/*
 * call_answer - the answer in the arguments of a call that gives one.
 *
 * @arguments  a value, or an object of which exactly one member can be the answer.
 * Returns it as text, owned; NULL: there is none.
 */
char *call_answer(const struct json *arguments);

/* Parse JSON as models write it. NULL if it is not JSON; `used`: how much of the text was read. */
struct json *call_json(const char *text, size_t length, size_t *used);

/* "execute_python", also with "functions." before it. */
bool call_name_is_ours(const char *name);

/* "final_answer" and its spellings: a tool that is not there, which models call to answer. */
bool call_name_is_answer(const char *name);

#endif
