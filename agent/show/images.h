/*
 * images - a PNG shown inside the terminal.
 *
 * Two protocols send the file as it is: kitty's (kitty, ghostty) and iTerm2's (iTerm2,
 * WezTerm, mintty). Sixel would have to be decoded and reduced to a palette here; no library
 * of ours does that, so terminals that know sixel alone are told the file's name instead.
 * Inside tmux and screen never: they pass neither on.
 *
 * The file is hostile. It is opened below its directory without following links, must be a
 * regular file of at most IMAGES_BYTES, begin as a PNG and consist of whole chunks; the
 * pixels it promises are bounded; nothing after its end is sent. What it holds is decoded
 * by the terminal alone.
 *
 * Touches the OS: opens and reads one file.
 */
#ifndef GLOVEBOX_AGENT_IMAGES_H
#define GLOVEBOX_AGENT_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define IMAGES_BYTES  (8u << 20)
#define IMAGES_PIXELS (32u << 20)

enum image_protocol { IMAGE_NONE, IMAGE_KITTY, IMAGE_ITERM };

/* By TERM, TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID, TMUX, STY of the environment. */
enum image_protocol images_detect(void);

/* A PNG's end: how many of the bytes belong to it. -1: it is none, or too large to show. */
int images_check(const void *bytes, size_t length, size_t *out_length, uint32_t *out_width,
		 struct err *e);

/*
 * images_load - append the escape sequence that shows a file.
 *
 * @dir_fd, @path  the file, below the directory; borrowed.
 * @max_width      pixels that fit: a wider image is scaled down to the window; 0: unknown.
 * @columns        of the window.
 * Errors: ERR_INPUT when it is no PNG we would show, ERR_SYSTEM; *out is as it was.
 */
int images_load(enum image_protocol protocol, int dir_fd, const char *path, uint32_t max_width,
		size_t columns, struct buf *out, struct err *e);

#endif
