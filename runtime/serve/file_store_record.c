/*
 * file_store_record - the metadata of a file, beside its content: a JSON document of one line.
 */
#include "serve/file_store_record.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_put.h"
#include "base/json_strict.h"
#include "base/random.h"
#include "base/utf8.h"
#include "serve/file_store_name.h"

#define FILE_STORE_RECORD_VALUES 32

static bool file_store_record_is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool file_store_record_is_id(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		if (form[i] == '-' ? text[i] != '-' : !file_store_record_is_hex(text[i]))
			return false;
	}
	return !text[sizeof(form) - 1];
}

bool file_store_record_is_sha256(const char *text)
{
	for (size_t i = 0; i < DIGEST_HEX - 1; i++) {
		if (!file_store_record_is_hex(text[i]))
			return false;
	}
	return !text[DIGEST_HEX - 1];
}

void file_store_record_new_id(char out[FILE_STORE_ID_SIZE])
{
	uint8_t b[16];

	random_bytes(b, sizeof(b));
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	snprintf(out, FILE_STORE_ID_SIZE,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
}

bool file_store_record_is_owner(const char *text)
{
	size_t length = strnlen(text, FILE_STORE_OWNER_MAX + 1);

	return length <= FILE_STORE_OWNER_MAX && utf8_is_valid(text, length);
}

void file_store_record_object(const struct stored_file *file, char out[DIGEST_HEX])
{
	char text[FILE_STORE_OWNER_MAX + 1 + DIGEST_HEX];
	/* Hash the sha256 with its NUL first: an owner's name may be any text. */
	const size_t hash = strlen(file->sha256) + 1;
	const size_t owner = strlen(file->owner);

	memcpy(text, file->sha256, hash);
	memcpy(text + hash, file->owner, owner);
	digest_hex(text, hash + owner, out);
}

void file_store_record_write(const struct stored_file *file, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "file_id", file->id);
	json_put_text(out, "filename", file->filename);
	json_put_uint(out, "size_bytes", file->size_bytes);
	json_put_key(out, "upload_time");
	json_write_number(file->upload_time, out);
	json_put_text(out, "sha256", file->sha256);
	json_put_text(out, "owner", file->owner);
	json_put_end(out, '}');
	buf_text(out, "\n");
}

static int file_store_record_numbers(const struct json *record, struct stored_file *out)
{
	const struct json *size = json_get(record, "size_bytes");
	const struct json *when = json_get(record, "upload_time");

	if (!size || !when || json_number(size, &out->size_bytes))
		return -1;
	return json_double(when, &out->upload_time) || !(out->upload_time >= 0) ? -1 : 0;
}

static int file_store_record_texts(const struct json *record, struct stored_file *out)
{
	const char *id = json_string_at(record, "file_id");
	const char *sha256 = json_string_at(record, "sha256");
	const char *owner = json_string_at(record, "owner");
	const char *filename = json_string_at(record, "filename");

	if (!id || !file_store_record_is_id(id) || !sha256 ||
	    !file_store_record_is_sha256(sha256) || !owner || !file_store_record_is_owner(owner) ||
	    !filename)
		return -1;
	memcpy(out->id, id, sizeof(out->id));
	memcpy(out->sha256, sha256, sizeof(out->sha256));
	snprintf(out->owner, sizeof(out->owner), "%s", owner);
	file_store_name_clean(filename, strlen(filename), out->filename);
	return 0;
}

int file_store_record_parse(const char *text, size_t length, struct stored_file *out, struct err *e)
{
	auto_json struct json *record = NULL;

	if (json_check_strict(text, length, FILE_STORE_RECORD_VALUES, e))
		return -1;
	record = json_parse(text, length, e);
	if (!record)
		return -1;
	*out = (struct stored_file){0};
	if (file_store_record_texts(record, out) || file_store_record_numbers(record, out))
		return err_input(e, "not the record of a file");
	return 0;
}
