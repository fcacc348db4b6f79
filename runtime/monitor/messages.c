/*
 * messages - what a client and the monitor of a sandbox that stays say to each other.
 */
#include "monitor/messages.h"

#include <limits.h>
#include <stddef.h>

#include "base/own.h"

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

#define PORTS(member)                                                                              \
	OPTIONAL(struct monitor_request, member, FIELD_LIST, EGRESS_MAX_PUBLISHED, &port_form)

#define LIMIT(type, at, member)                                                                    \
	{                                                                                          \
#member, FIELD_NUMBER, offsetof(type, at member), UINT64_MAX, true, NULL           \
	}
#define LIMITS(type, at)                                                                           \
	LIMIT(type, at, memory_bytes), LIMIT(type, at, swap_bytes), LIMIT(type, at, pids),         \
		LIMIT(type, at, cpu_quota_us), LIMIT(type, at, cpu_period_us),                     \
		LIMIT(type, at, wall_time_ms), LIMIT(type, at, idle_ms)

/* clang-format off */
static const struct form word_form = {
	(const struct field[]){{"text", FIELD_TEXT, offsetof(struct word, text), WIRE_MAX_TEXT, false, NULL}, END},
	sizeof(struct word)};

#define PORT(member, kind, most) {#member, kind, offsetof(struct port_entry, member), most, false, NULL}

static const struct form port_form = {
	(const struct field[]){PORT(address, FIELD_TEXT, ADDRESS_TEXT_SIZE), PORT(host_port, FIELD_NUMBER, UINT16_MAX), PORT(port, FIELD_NUMBER, UINT16_MAX), END},
	sizeof(struct port_entry)};

const struct form monitor_request_form = {
	(const struct field[]){
		REQUEST(op, FIELD_TEXT, 16), WORDS(argv), WORDS(env), REQUEST(workdir, FIELD_TEXT, PATH_MAX),
		REQUEST(interactive, FIELD_FLAG, 0), REQUEST(tty, FIELD_FLAG, 0), REQUEST(mute, FIELD_FLAG, 0), REQUEST(mover, FIELD_FLAG, 0), REQUEST(layers, FIELD_FLAG, 0),
		REQUEST(rows, FIELD_NUMBER, UINT16_MAX), REQUEST(columns, FIELD_NUMBER, UINT16_MAX),
		REQUEST(number, FIELD_NUMBER, 64), REQUEST(group, FIELD_FLAG, 0), REQUEST(name, FIELD_TEXT, 255),
		LIMITS(struct monitor_request, limits.), REQUEST(timed, FIELD_FLAG, 0),
		PORTS(more), PORTS(less),
		REQUEST(keep, FIELD_FLAG, 0), REQUEST(log_bytes, FIELD_NUMBER, UINT64_MAX), REQUEST(once, FIELD_FLAG, 0), REQUEST(exec, FIELD_NUMBER, UINT32_MAX), END},
	sizeof(struct monitor_request)};

const struct form limits_form = {(const struct field[]){LIMITS(struct limits, ), END}, sizeof(struct limits)};

static const struct form process_form = {
	(const struct field[]){{"pid", FIELD_NUMBER, offsetof(struct process_number, pid), INT32_MAX, false, NULL}, END},
	sizeof(struct process_number)};

#define PROGRAM(member, kind, most) OPTIONAL(struct program_entry, member, kind, most, NULL)

static const struct form program_form = {
	(const struct field[]){
		PROGRAM(exec, FIELD_NUMBER, UINT32_MAX), PROGRAM(command, FIELD_TEXT, 1000), PROGRAM(kept, FIELD_FLAG, 0), PROGRAM(tty, FIELD_FLAG, 0),
		PROGRAM(ended, FIELD_FLAG, 0), PROGRAM(status, FIELD_NUMBER, UINT32_MAX),
		PROGRAM(started_ms, FIELD_NUMBER, UINT64_MAX), PROGRAM(ended_ms, FIELD_NUMBER, UINT64_MAX), END},
	sizeof(struct program_entry)};

const struct form monitor_answer_form = {
	(const struct field[]){
		ANSWER(kind, FIELD_TEXT, 32), ANSWER(error, FIELD_TEXT, 2000), ANSWER(exec, FIELD_NUMBER, UINT32_MAX),
		ANSWER(ended, FIELD_FLAG, 0), ANSWER(status, FIELD_NUMBER, UINT32_MAX),
		ANSWER(memory_bytes, FIELD_NUMBER, UINT64_MAX), ANSWER(memory_most_bytes, FIELD_NUMBER, UINT64_MAX),
		ANSWER(swapped_bytes, FIELD_NUMBER, UINT64_MAX), ANSWER(has_swap, FIELD_FLAG, 0),
		ANSWER(cpu_us, FIELD_NUMBER, UINT64_MAX), ANSWER(cpus_milli, FIELD_NUMBER, UINT64_MAX), ANSWER(process_count, FIELD_NUMBER, UINT32_MAX),
		ANSWER(tty, FIELD_FLAG, 0), OPTIONAL(struct monitor_answer, programs, FIELD_LIST, MESSAGE_PROGRAMS, &program_form),
		OPTIONAL(struct monitor_answer, processes, FIELD_LIST, MESSAGE_PROCESSES, &process_form), END},
	sizeof(struct monitor_answer)};
/* clang-format on */

struct form_list message_words(char *const *words, size_t count)
{
	struct word *items = own_zeroed(count + 1, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i].text = words[i];
	return (struct form_list){items, (unsigned)count};
}
