/*
 * handle - names of sessions that carry proof of their owner, so that none are stored.
 */
#include "tenant/handle.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/io.h"
#include "base/own.h"
#include "base/random.h"
#include "fs/document.h"

#define HALF_HEX   16
#define HALF_BYTES (HALF_HEX / 2)

/* -- the secret ------------------------------------------------------------------------------ */

/* 0; 1: the file is missing. */
static int handle_secret_read(int dir_fd, struct handle_secret *out, struct err *e)
{
	auto_fd int fd =
		openat(dir_fd, HANDLE_SECRET_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_buf struct buf content = {0};
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open " HANDLE_SECRET_FILE " (no link is followed)");
	if (!S_ISREG(st.st_mode) || st.st_size != HANDLE_SECRET)
		return err_input(e, HANDLE_SECRET_FILE
				 " is not of our making: remove it, which "
				 "ends all sessions");
	if (document_judge(fd, HANDLE_SECRET_FILE, S_IRWXG | S_IRWXO, e) ||
	    io_read_fd(fd, HANDLE_SECRET_FILE, HANDLE_SECRET, &content, e))
		return -1;
	if (content.length != HANDLE_SECRET)
		return err_input(e, HANDLE_SECRET_FILE " is changing");
	memcpy(out->bytes, content.data, HANDLE_SECRET);
	return 0;
}

static int handle_secret_write(int dir_fd, const char *name, struct err *e)
{
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct handle_secret secret;

	random_bytes(secret.bytes, sizeof(secret.bytes));
	if (fd < 0 || io_write_all(fd, secret.bytes, sizeof(secret.bytes)) || fsync(fd))
		return err_sys(e, "write " HANDLE_SECRET_FILE);
	return 0;
}

/* link(2) publishes it whole, and only if no other server was faster. */
static int handle_secret_make(int dir_fd, struct err *e)
{
	char name[64];
	uint64_t random;
	int bad;

	random_bytes(&random, sizeof(random));
	snprintf(name, sizeof(name), ".glovebox-%016llx", (unsigned long long)random);
	bad = handle_secret_write(dir_fd, name, e);
	if (!bad && linkat(dir_fd, name, dir_fd, HANDLE_SECRET_FILE, 0) && errno != EEXIST)
		bad = err_sys(e, "make " HANDLE_SECRET_FILE);
	unlinkat(dir_fd, name, 0);
	if (!bad && fsync(dir_fd))
		bad = err_sys(e, "write " HANDLE_SECRET_FILE);
	return bad;
}

int handle_secret_open(int dir_fd, struct handle_secret *out, struct err *e)
{
	int found = handle_secret_read(dir_fd, out, e);

	if (found <= 0)
		return found;
	if (handle_secret_make(dir_fd, e))
		return -1;
	found = handle_secret_read(dir_fd, out, e);
	return found > 0 ? err_input(e, HANDLE_SECRET_FILE " was removed") : found;
}

/* -- the text -------------------------------------------------------------------------------- */

static size_t handle_label_length(const char *label)
{
	return strspn(label, "abcdefghijklmnopqrstuvwxyz0123456789");
}

bool handle_label_is_valid(const char *label)
{
	size_t length = handle_label_length(label);

	return length && length <= HANDLE_LABEL_MOST && !label[length];
}

/* A NUL ends each part, so different parts never hash as the same bytes. */
static void handle_mark(const struct handle_secret *secret, const char *random, const char *label,
			size_t label_length, const char *owner, char out[HALF_HEX + 1])
{
	auto_buf struct buf parts = {0};
	uint8_t mac[HMAC_BYTES];

	buf_add(&parts, random, HALF_HEX);
	buf_add(&parts, "", 1);
	buf_add(&parts, label, label_length);
	buf_add(&parts, "", 1);
	buf_text(&parts, owner);
	hmac_bytes(secret->bytes, HANDLE_SECRET, parts.data, parts.length, mac);
	encode_hex(mac, HALF_BYTES, out);
}

static void handle_write(const struct handle_secret *secret, const char *owner, const char *label,
			 const uint8_t *bytes, char out[HANDLE_BYTES])
{
	const char *node = label ? label : "";
	char random[HALF_HEX + 1];
	char mark[HALF_HEX + 1];

	encode_hex(bytes, HALF_BYTES, random);
	handle_mark(secret, random, node, strlen(node), owner, mark);
	snprintf(out, HANDLE_BYTES, HANDLE_PREFIX "%s%s%s%s", node, *node ? "-" : "", random, mark);
}

void handle_make(const struct handle_secret *secret, const char *owner, const char *label,
		 char out[HANDLE_BYTES])
{
	uint8_t bytes[HALF_BYTES];

	random_bytes(bytes, sizeof(bytes));
	handle_write(secret, owner, label, bytes, out);
}

/* No mark hashes a text that begins so: its first bytes are hexadecimal digits. */
void handle_derive(const struct handle_secret *secret, const char *owner, const char *label,
		   const char *text, char out[HANDLE_BYTES])
{
	auto_buf struct buf parts = {0};
	uint8_t mac[HMAC_BYTES];

	buf_add(&parts, "derived", sizeof("derived"));
	buf_add(&parts, owner, strlen(owner) + 1);
	buf_text(&parts, text);
	hmac_bytes(secret->bytes, HANDLE_SECRET, parts.data, parts.length, mac);
	handle_write(secret, owner, label, mac, out);
}

bool handle_check(const struct handle_secret *secret, const char *owner, const char *text)
{
	const char *label = text + strlen(HANDLE_PREFIX);
	char mark[HALF_HEX + 1];
	const char *digits;
	size_t length = 0;

	if (strncmp(text, HANDLE_PREFIX, strlen(HANDLE_PREFIX)) != 0)
		return false;
	digits = strchr(label, '-');
	if (digits)
		length = (size_t)(digits++ - label);
	else
		digits = label;
	if (digits != label &&
	    (!length || length > HANDLE_LABEL_MOST || handle_label_length(label) != length))
		return false;
	if (strspn(digits, "0123456789abcdef") != 2 * HALF_HEX || digits[2 * HALF_HEX])
		return false;
	handle_mark(secret, digits, label, length, owner, mark);
	return secret_is(mark, digits + HALF_HEX, HALF_HEX);
}
