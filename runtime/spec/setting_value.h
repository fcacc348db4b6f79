/*
 * setting_value - convert one value between text and the field of its row.
 *
 * No side effects, but for a row's own parser.
 */
#ifndef GLOVEBOX_SPEC_SETTING_VALUE_H
#define GLOVEBOX_SPEC_SETTING_VALUE_H

#include "base/buf.h"
#include "spec/setting.h"

/*
 * setting_value_parse - parse the text within the bounds of the row.
 *
 * @keeper  owns a copy of a text; NULL: the field borrows it.
 * Errors: ERR_INPUT (a row's own parser may return ERR_UNSUPPORTED), without the row's name.
 */
int setting_value_parse(const struct setting *row, void *target, const struct sandbox_spec *keeper,
			const char *value, struct err *e);

/* Append a number in readable form: "512m", "1.5s", "no limit". */
void setting_value_write(const struct setting *row, uint64_t value, struct buf *out);

#endif
