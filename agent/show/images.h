/*
 * images - show a PNG inside the terminal.
 *
 * Two protocols take the file as it is: kitty's (kitty, ghostty) and iTerm2's (iTerm2, WezTerm,
 * mintty, VS Code, Konsole). Sixel requires decoding and a palette, for which we have no library:
 * terminals with sixel only (foot) get the file's name. So do tmux and screen, which forward
 * neither protocol.
 *
 * The file is hostile. It is opened below its directory without following links, and must be a
 * regular file of at most IMAGES_BYTES that begins as a PNG and consists of whole chunks; its
 * pixels are bounded; bytes behind its end are not sent. Only the terminal decodes it.
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

/* By TERM, TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID, KONSOLE_VERSION, TMUX, STY of the
 * environment. */
enum image_protocol images_detect(void);

/* Find the end of a PNG: set its length. -1: not a PNG, or too large to show. */
int images_check(const void *bytes, size_t length, size_t *out_length, uint32_t *out_width,
		 struct err *e);

/*
 * images_load - append the escape sequence that shows a file.
 *
 * @dir_fd, @path  the file, below the directory; borrowed.
 * @max_width      pixels that fit: a wider image is scaled down to the window; 0: unknown.
 * @columns        of the window.
 * Errors: ERR_INPUT: not a PNG that may be shown; ERR_SYSTEM; *out is unchanged then.
 */
int images_load(enum image_protocol protocol, int dir_fd, const char *path, uint32_t max_width,
		size_t columns, struct buf *out, struct err *e);

#endif
