/*
 * stored_id - names of files and storage sessions as LibreChat has them.
 */
#include "librechat/stored_id.h"

#include <stdint.h>
#include <string.h>

#include "base/random.h"

#define LENGTH (STORED_ID_SIZE - 1)
#define DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define HEX    "0123456789abcdef"

/* Where a UUID of version 4 (RFC 9562) has bits that are the same in each. */
#define VERSION_AT 14
#define VARIANT_AT 19

/* How many random bits a digit of a UUID has, from its right. */
static unsigned stored_id_bits(size_t at)
{
	return at == VERSION_AT ? 0 : at == VARIANT_AT ? 2 : 4;
}

static bool stored_id_is_dash(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

void stored_id_of(const char *id, char out[STORED_ID_SIZE])
{
	uint64_t bits = 0;
	unsigned count = 0;
	size_t length = 0;

	for (size_t at = 0; id[at]; at++) {
		const unsigned more = stored_id_is_dash(at) ? 0 : stored_id_bits(at);
		const uint64_t value = more ? (uint64_t)(strchr(HEX, id[at]) - HEX) : 0;

		bits = bits << more | (value & ((1u << more) - 1));
		count += more;
		if (count >= 6) {
			count -= 6;
			out[length++] = DIGITS[bits >> count & 63];
		}
	}
	out[length++] = DIGITS[bits << (6 - count) & 63];
	out[length] = '\0';
}

static bool stored_id_is(const char *text)
{
	return strlen(text) == LENGTH && strspn(text, DIGITS) == LENGTH;
}

/* The last bits are zero: each file has one name. */
bool stored_id_read(const char *text, char out[FILE_STORE_ID_SIZE])
{
	char same[STORED_ID_SIZE];
	uint64_t bits = 0;
	unsigned count = 0;

	if (!stored_id_is(text))
		return false;
	for (size_t at = 0, next = 0; at < FILE_STORE_ID_SIZE - 1; at++) {
		const unsigned more = stored_id_bits(at);

		if (stored_id_is_dash(at)) {
			out[at] = '-';
			continue;
		}
		if (count < more) {
			bits = bits << 6 | (uint64_t)(strchr(DIGITS, text[next++]) - DIGITS);
			count += 6;
		}
		count -= more;
		out[at] = HEX[(bits >> count & ((1u << more) - 1)) | (more == 2 ? 8 : 0)];
	}
	out[VERSION_AT] = '4';
	out[FILE_STORE_ID_SIZE - 1] = '\0';
	stored_id_of(out, same);
	return !strcmp(same, text);
}

void stored_id_new_folder(char out[STORED_FOLDER_SIZE])
{
	uint8_t bytes[LENGTH];

	random_bytes(bytes, sizeof(bytes));
	for (size_t i = 0; i < LENGTH; i++)
		out[i] = DIGITS[bytes[i] & 63];
	memcpy(out + LENGTH, "/", 2);
}

bool stored_id_folder(const char *session, char out[STORED_FOLDER_SIZE])
{
	if (!stored_id_is(session))
		return false;
	memcpy(out, session, LENGTH);
	memcpy(out + LENGTH, "/", 2);
	return true;
}

bool stored_id_session(const struct stored_file *file, char out[STORED_ID_SIZE])
{
	if (strcspn(file->filename, "/") != LENGTH || file->filename[LENGTH] != '/')
		return false;
	memcpy(out, file->filename, LENGTH);
	out[LENGTH] = '\0';
	return stored_id_is(out);
}

const char *stored_id_name(const struct stored_file *file)
{
	return file->filename + LENGTH + 1;
}
