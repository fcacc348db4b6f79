/*
 * display_marks - find the places of displays in a call's output.
 *
 * The interpreter of a session writes a mark to its standard output at each display() and
 * plt.show() (rootfs/guest/display.py). The answer contains the displays, in the same order. struct
 * display_marks removes the marks from the stream, and tells the stream's sink where each stood;
 * struct display_places records that.
 *
 * The stream is hostile: foreign code can write marks, too many or none, and thereby only misplaces
 * its own displays. A mark has a fixed length, and belongs to one call; other bytes pass unchanged.
 * It holds back at most one mark's bytes, removes at most DISPLAYS_MAX marks, unless the
 * sink takes all of them, and takes linear time.
 *
 * No side effects but the sink's. Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_DISPLAY_MARKS_H
#define GLOVEBOX_SESSION_DISPLAY_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"

#define DISPLAYS_MAX 1001 /* display.py: 1,000 per call, and one that counts the rest */
#define DISPLAY_MARK                                                                               \
	"\036display-" /* followed by the number of the request, 8 hexadecimal digits */
#define DISPLAY_MARK_BYTES (sizeof(DISPLAY_MARK) - 1 + 8)

/* Zero-initialise it. */
struct display_marks {
	char mark[DISPLAY_MARK_BYTES + 1];
	size_t held; /* bytes of a mark at the end of the stream so far */
	size_t count;
	uint64_t left;         /* bytes that may still pass; further ones are dropped */
	bool truncated;        /* bytes were dropped */
	const struct sink *to; /* borrowed: a buffer or a function; its descriptor is not used */
};

/*
 * display_marks_begin - @id: of the request. @most: bytes, without marks. Returns the sink for
 * standard output, which passes on to *to.
 */
struct sink display_marks_begin(struct display_marks *m, uint32_t id, uint64_t most,
				const struct sink *to);

/* End the stream: pass on an incomplete mark. Safe on a zeroed one. */
void display_marks_end(struct display_marks *m);

/* The places of displays in a text. Zero it, and set `text`. */
struct display_places {
	const struct buf *text; /* borrowed */
	size_t count;
	size_t at[DISPLAYS_MAX]; /* bytes of the text before the display; never decreasing */
};

/* Add a display at the present end of the text: a sink's `display`. */
void display_places_add(void *places);

/*
 * display_places_at - how many bytes of the text precede a display. A display without a place
 * stands at the end, like one in a part that was cut off.
 */
size_t display_places_at(const struct display_places *p, size_t number);

/*
 * display_places_copy - append the text from `from` up to the place of a display, with a newline if
 * it does not end a line. Returns where the next piece begins.
 */
size_t display_places_copy(const struct display_places *p, size_t from, size_t number,
			   struct buf *out);

/* Append "displays_at":[...]: how many JSON characters of the text precede each display. */
void display_places_put(const struct display_places *p, struct buf *out);

#endif
