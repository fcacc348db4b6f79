/*
 * setting_text - write settings as help, manual page and completion.
 *
 * No side effects; appends to what it is given.
 */
#ifndef GLOVEBOX_FLAGS_SETTING_TEXT_H
#define GLOVEBOX_FLAGS_SETTING_TEXT_H

#include "base/buf.h"
#include "spec/setting.h"

/* The layout of a help text. */
struct setting_layout {
	int indent;
	int width;    /* width of the column of flags */
	bool letters; /* has a column for short forms */
};

/* A line of help: "  -m, --memory SIZE   what it is [512m]". */
void setting_text_help(const struct setting *row, const struct setting_layout *layout,
		       struct buf *out);

/* An entry of a manual page. */
void setting_text_man(const struct setting *row, struct buf *out);

/* Escape for roff: dashes to be typed, and backslashes. */
void setting_text_roff(const char *text, struct buf *out);

/*
 * Help lines or manual entries of all rows that the face has, of one group or of all (GROUP_COUNT).
 */
void setting_text_help_all(const struct settings *s, enum setting_group group,
			   const struct setting_layout *layout, struct buf *out);
void setting_text_man_all(const struct settings *s, enum setting_group group, struct buf *out);

/* Append what the face refuses by name: each reason with its flags, as help or manual page. */
void setting_text_refused(const struct settings *s, bool man, struct buf *out);

/* Append "--x" of every setting, and "--no-x" of negatable flags. @between: the separator. */
void setting_text_names(const struct settings *s, const char *between, struct buf *out);

#endif
