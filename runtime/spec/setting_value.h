/*
 * setting_value - one value: from text into the field of its row, and back.
 *
 * No side effects, but for a row's own parser.
 */
#ifndef GLOVEBOX_SPEC_SETTING_VALUE_H
#define GLOVEBOX_SPEC_SETTING_VALUE_H

#include "base/buf.h"
#include "spec/setting.h"

/*
 * setting_value_parse - what the text says, within the bounds of the row.
 *
 * @keeper  gets a copy of a text; NULL: the field borrows it.
 * Errors: ERR_INPUT (a row's own parser may say ERR_UNSUPPORTED), without the row's name.
 */
int setting_value_parse(const struct setting *row, void *target, const struct sandbox_spec *keeper,
			const char *value, struct err *e);

/* A number that is counted, as people would write it: "512m", "1.5s", "no limit". */
void setting_value_write(const struct setting *row, uint64_t value, struct buf *out);

#endif
