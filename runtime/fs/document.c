/*
 * document - a JSON file of the operator's that decides what clients may do.
 */
#include "fs/document.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "fs/trusted_path.h"

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

int document_judge(int fd, const char *path, mode_t rights, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(e, "look at %.300s", path);
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & rights))
		return err_input(e, "%.300s must be yours, and closed to others: chown, chmod 600",
				 path);
	return 0;
}

/*
 * Refuse an object, on any level, with two members of one name. Objects are small: compare all
 * pairs.
 */
static int document_check_twins(const struct json *node, struct err *e)
{
	for (const struct json *n = json_first(node); n; n = json_next(n)) {
		for (const struct json *m = json_key(n) ? json_next(n) : NULL; m;
		     m = json_next(m)) {
			if (!strcmp(json_key(n), json_key(m)))
				return err_input(e, "\"%.60s\" is there twice", json_key(n));
		}
		if (document_check_twins(n, e))
			return -1;
	}
	return 0;
}

static struct json *document_parse(const struct buf *text, struct err *e)
{
	auto_json struct json *document = NULL;
	size_t mark = json_byte_order_mark(buf_string(text), text->length);
	const char *start = buf_string(text) + mark;

	if (json_check_strict(start, text->length - mark, DOCUMENT_BYTES / 2, e))
		return NULL;
	document = json_parse(start, text->length - mark, e);
	return document && !document_check_twins(document, e) ? take_ptr(&document) : NULL;
}

struct json *document_read(const char *path, struct err *e)
{
	auto_fd int fd = trusted_path_read(path, e);
	auto_buf struct buf text = {0};
	struct json *document;

	if (fd < 0 || document_judge(fd, path, OTHERS_WRITE, e) ||
	    io_read_fd(fd, path, DOCUMENT_BYTES, &text, e))
		return NULL;
	document = document_parse(&text, e);
	if (!document)
		(void)err_prefix(e, "%.300s", path);
	return document;
}
