/*
 * fuzz_parse - numbers, sizes and durations: within their range, or untouched.
 */
#include "fuzz.h"

#include "base/parse.h"

#define UNTOUCHED 0x5afe5afe5afe5afeull

static void check_size(const char *text)
{
	uint64_t size = UNTOUCHED;
	uint64_t again;
	struct err e = {0};
	char out[24];

	if (parse_size(text, 10, 1ull << 50, &size, &e)) {
		MUST(size == UNTOUCHED);
		fuzz_check_error(&e);
		return;
	}
	MUST(size >= 10 && size <= 1ull << 50);
	format_size(size, out);
	MUST(!parse_size(out, 0, UINT64_MAX, &again, &e) && again == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	uint64_t value = UNTOUCHED;
	int64_t number = (int64_t)UNTOUCHED;
	uint32_t mode = 0xffffffff;
	struct err e = {0};
	bool flag;

	check_size(text);
	if (parse_int(text, -7, 1000, &number, &e))
		fuzz_check_error(&e);
	MUST(number == (int64_t)UNTOUCHED || (number >= -7 && number <= 1000));
	if (parse_octal(text, 07777, &mode, &e))
		fuzz_check_error(&e);
	MUST(mode == 0xffffffff || mode <= 07777);
	if (parse_duration(text, 5, 100000, &value, &e))
		fuzz_check_error(&e);
	MUST(value == UNTOUCHED || (value >= 5 && value <= 100000));
	value = UNTOUCHED;
	if (parse_decimal(text, 3, 5000, &value, &e))
		fuzz_check_error(&e);
	MUST(value == UNTOUCHED || value <= 5000);
	if (parse_bool(text, &flag, &e))
		fuzz_check_error(&e);
	free(text);
	return 0;
}
