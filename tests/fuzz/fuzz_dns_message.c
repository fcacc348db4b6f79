/*
 * fuzz_dns_message - any query has an answer that the C library can read, or none.
 *
 * Input: one byte (how many addresses), one (which outcome), two of room, the query.
 */
#include "fuzz.h"

#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>

#include "protocol/dns_message.h"

#define OUTCOMES (DNS_FORMERR + 1)

static unsigned word(const uint8_t *p)
{
	return (unsigned)(p[0] << 8 | p[1]);
}

static size_t skip_name(const uint8_t *answer, size_t size, size_t at)
{
	char name[NS_MAXDNAME]; /* escapes make it longer */
	int used = dn_expand(answer, answer + size, answer + at, name, sizeof(name));

	MUST(used > 0);
	return at + (size_t)used;
}

static void check_answer(const struct dns_query *q, const uint8_t *answer, size_t size,
			 enum dns_outcome outcome)
{
	size_t at = 12;
	size_t records;

	MUST(size >= 12 && word(answer) == q->id);
	MUST(answer[2] & 0x80); /* an answer */
	MUST(word(answer + 4) == (q->question_size != 0));
	if (q->question_size) {
		MUST(!memcmp(answer + 12, q->question, q->question_size));
		MUST(skip_name(answer, size, 12) + 4 == 12 + q->question_size);
		at += q->question_size;
	}
	MUST(!word(answer + 6) || outcome == DNS_ADDRESSES);
	records = word(answer + 6) + word(answer + 8) + word(answer + 10);
	for (size_t i = 0; i < records; i++) {
		at = skip_name(answer, size, at);
		MUST(at + 10 <= size);
		at += 10 + word(answer + at + 8);
		MUST(at <= size);
	}
	MUST(at == size);
}

static void check_query(const struct dns_query *q)
{
	char again[HOST_NAME_SIZE];

	MUST(q->has_id);
	MUST(q->question_size >= 5 && q->question_size <= DNS_QUESTION_MAX);
	MUST(memchr(q->name, '\0', sizeof(q->name)));
	MUST(!q->name[0] ||
	     (!host_name_canonical(q->name, strlen(q->name), again) && !strcmp(q->name, again)));
	MUST(!q->name[0] || q->question_size == strlen(q->name) + 2 + 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct address addresses[256];
	struct dns_query q;
	enum dns_outcome outcome;
	uint8_t *answer;
	size_t room;
	size_t used;

	if (size < 4)
		return 0;
	for (size_t i = 0; i < 256; i++)
		addresses[i].is_v4 = i % 2;
	outcome = (enum dns_outcome)(data[1] % OUTCOMES);
	room = word(data + 2) % 4096;
	memset(&q, 0xaa, sizeof(q));
	if (!dns_query_parse(data + 4, size - 4, &q)) {
		check_query(&q);
	} else {
		MUST(q.outcome == DNS_FORMERR || q.outcome == DNS_NOTIMP);
		outcome = q.outcome;
	}
	MUST(q.udp_size >= DNS_UDP_MIN && q.udp_size <= DNS_UDP_MAX);
	if (!q.has_id)
		return 0;
	answer = malloc(room ? room : 1);
	if (!answer)
		abort();
	used = dns_answer(&q, outcome, addresses, data[0], 60, answer, room);
	MUST(used <= room);
	MUST(used || room < DNS_UDP_MIN);
	if (used)
		check_answer(&q, answer, used, outcome);
	free(answer);
	return 0;
}
