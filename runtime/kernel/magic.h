/*
 * magic - cells that are about the session itself: %checkpoint NAME, %rollback [--force] NAME.
 *
 * No side effects. Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_MAGIC_H
#define GLOVEBOX_KERNEL_MAGIC_H

#include "base/buf.h"
#include "service/notebook.h"

/*
 * magic_read - read a cell.
 *
 * @request  becomes what the cell asks for.
 * @text     gets the text that the request borrows.
 * Returns 1: it is one; 0: it is code; -1: it has the form of one, *e says what is wrong.
 */
int magic_read(const char *code, struct notebook_request *request, struct buf *text, struct err *e);

#endif
