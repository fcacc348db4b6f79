/*
 * file_store_record - the metadata of a file: a record of fixed size behind its content.
 */
#include "store/file_store_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/utf8.h"
#include "store/file_store_name.h"

bool file_store_record_is_id(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		if (form[i] == '-' ? text[i] != '-'
				   : !text[i] || !strchr("0123456789abcdef", text[i]))
			return false;
	}
	return !text[sizeof(form) - 1];
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

void file_store_record_fill(const struct stored_file *file, struct file_store_record *out)
{
	memset(out, 0, sizeof(*out)); /* also the padding, which is written */
	memcpy(out->mark, FILE_STORE_RECORD_MARK, sizeof(out->mark));
	out->size_bytes = file->size_bytes;
	out->upload_time = file->upload_time;
	snprintf(out->owner, sizeof(out->owner), "%s", file->owner);
	snprintf(out->filename, sizeof(out->filename), "%s", file->filename);
}

int file_store_record_read(const struct file_store_record *r, uint64_t file_bytes,
			   struct stored_file *out, struct err *e)
{
	if (memcmp(r->mark, FILE_STORE_RECORD_MARK, sizeof(r->mark)) != 0 ||
	    file_bytes < sizeof(*r) || r->size_bytes != file_bytes - sizeof(*r) ||
	    !isfinite(r->upload_time) || r->upload_time < 0 ||
	    !file_store_record_is_owner(r->owner))
		return err_input(e, "not the record of a file");
	*out = (struct stored_file){.size_bytes = r->size_bytes, .upload_time = r->upload_time};
	snprintf(out->owner, sizeof(out->owner), "%s", r->owner);
	file_store_name_clean(r->filename, strnlen(r->filename, sizeof(r->filename)),
			      out->filename);
	return 0;
}
