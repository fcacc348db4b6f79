/*
 * fuzz_file_store - a record is read back as it was written, and a name is harmless wherever it is
 * told.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "store/file_store_name.h"
#include "store/file_store_record.h"

static void check_name(const char *name)
{
	char again[FILE_STORE_NAME_MAX + 1];
	char header[FILE_STORE_HEADER_SIZE];
	unsigned quotes = 0;

	MUST(*name && strlen(name) <= FILE_STORE_NAME_MAX);
	MUST(utf8_is_valid(name, strlen(name)));
	for (const char *p = name; *p; p++)
		MUST((unsigned char)*p >= 0x20 && *p != 0x7f);
	file_store_name_clean(name, strlen(name), again);
	MUST(!strcmp(name, again));
	file_store_name_for_header(name, header);
	MUST(strlen(header) < sizeof(header));
	for (const char *p = header; *p; p++) {
		MUST(*p >= 0x20 && *p < 0x7f && *p != '\\' && *p != '/');
		quotes += *p == '"';
	}
	MUST(quotes == 2);
}

static void check_record(const struct stored_file *file)
{
	struct file_store_record record;
	struct file_store_record second;
	struct stored_file again;
	struct err e = {0};

	MUST(file_store_record_is_owner(file->owner));
	check_name(file->filename);
	file_store_record_fill(file, &record);
	MUST(!file_store_record_read(&record, file->size_bytes + sizeof(record), &again, &e));
	file_store_record_fill(&again, &second);
	MUST(!memcmp(&record, &second, sizeof(record)));
}

/* The input is the end of a file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char name[FILE_STORE_NAME_MAX + 1];
	struct file_store_record record = {.mark = FILE_STORE_RECORD_MARK};
	const size_t rest = sizeof(record) - sizeof(record.mark);
	struct stored_file file;
	struct err e = {0};

	file_store_name_clean(text, size, name);
	check_name(name);
	memcpy((char *)&record + sizeof(record.mark), text, size < rest ? size : rest);
	if (file_store_record_read(&record, record.size_bytes + sizeof(record), &file, &e))
		fuzz_check_error(&e);
	else
		check_record(&file);
	(void)file_store_record_is_id(text);
	free(text);
	return 0;
}
