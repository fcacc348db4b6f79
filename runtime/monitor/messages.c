/*
 * messages - what a client and the monitor of a sandbox that stays say to each other.
 */
#include "monitor/messages.h"

#include <limits.h>
#include <stddef.h>

#define OPTIONAL(type, member, kind, most, items)                                                  \
	{                                                                                          \
#member, kind, offsetof(type, member), most, true, items                           \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, FIELD_FLAG, 0, 0, false, NULL                                                \
	}
#define REQUEST(member, kind, most) OPTIONAL(struct monitor_request, member, kind, most, NULL)
#define ANSWER(member, kind, most)  OPTIONAL(struct monitor_answer, member, kind, most, NULL)
#define WORDS(member)                                                                              \
	OPTIONAL(struct monitor_request, member, FIELD_LIST, MESSAGE_WORDS, &word_form)

/* clang-format off */
static const struct form word_form = {
	(const struct field[]){{"text", FIELD_TEXT, offsetof(struct word, text), WIRE_MAX_TEXT, false, NULL}, END},
	sizeof(struct word)};

const struct form monitor_request_form = {
	(const struct field[]){
		REQUEST(op, FIELD_TEXT, 16), WORDS(argv), WORDS(env), REQUEST(workdir, FIELD_TEXT, PATH_MAX),
		REQUEST(interactive, FIELD_FLAG, 0), REQUEST(tty, FIELD_FLAG, 0), REQUEST(mute, FIELD_FLAG, 0), REQUEST(mover, FIELD_FLAG, 0),
		REQUEST(rows, FIELD_NUMBER, UINT16_MAX), REQUEST(columns, FIELD_NUMBER, UINT16_MAX),
		REQUEST(number, FIELD_NUMBER, 64), REQUEST(group, FIELD_FLAG, 0), REQUEST(name, FIELD_TEXT, 255), END},
	sizeof(struct monitor_request)};

static const struct form process_form = {
	(const struct field[]){{"pid", FIELD_NUMBER, offsetof(struct process_number, pid), INT32_MAX, false, NULL}, END},
	sizeof(struct process_number)};

const struct form monitor_answer_form = {
	(const struct field[]){
		ANSWER(kind, FIELD_TEXT, 32), ANSWER(error, FIELD_TEXT, 2000), ANSWER(exec, FIELD_NUMBER, UINT32_MAX),
		ANSWER(ended, FIELD_FLAG, 0), ANSWER(status, FIELD_NUMBER, UINT32_MAX),
		ANSWER(memory_bytes, FIELD_NUMBER, UINT64_MAX), ANSWER(memory_most_bytes, FIELD_NUMBER, UINT64_MAX),
		ANSWER(cpu_us, FIELD_NUMBER, UINT64_MAX), ANSWER(cpus_milli, FIELD_NUMBER, UINT64_MAX), ANSWER(process_count, FIELD_NUMBER, UINT32_MAX),
		OPTIONAL(struct monitor_answer, processes, FIELD_LIST, MESSAGE_PROCESSES, &process_form), END},
	sizeof(struct monitor_answer)};
/* clang-format on */
