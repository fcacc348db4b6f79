/*
 * setting_sources - settings from the environment, and from a JSON object.
 *
 * No side effects, but for the files that a value may name.
 */
#ifndef GLOVEBOX_SPEC_SETTING_SOURCES_H
#define GLOVEBOX_SPEC_SETTING_SOURCES_H

#include "base/json.h"
#include "spec/setting.h"

/*
 * settings_from_environment - PREFIX_NUM_CTX for "num-ctx", if it is set and not empty; otherwise
 * the row's fallback variable.
 *
 * Errors: those of setting_apply(), after the variable's name.
 */
int settings_from_environment(const struct settings *s, const char *prefix, struct err *e);

/*
 * settings_from_json - every member of an object: "num_ctx" for "num-ctx".
 *
 * With `sections`, limits are members of an object of their own: {"limits": {"memory": "1g"}}. A
 * setting that may be repeated on a command line may be an array.
 *
 * Errors: ERR_INPUT for an unknown key, a duplicate key, a wrong type, a value out of range;
 * ERR_UNSUPPORTED. All name the key with its path: "limits.memory": 12x is ...  Values read before
 * the error stay.
 */
int settings_from_json(const struct settings *s, const struct json *object, struct err *e);

/* The path of a row in that object. */
void setting_json_path(const struct settings *s, const struct setting *row, struct buf *out);

#endif
