/*
 * test_tls_alert - which first words of a program refuse a certificate.
 */
#include "unit.h"

#include "protocol/tls_alert.h"

#define CCS "\x14\x03\x03\x00\x01\x01"

static void assert_look(const char *bytes, size_t size, enum tls_alert expected)
{
	assert_int_equal(tls_alert_look((const uint8_t *)bytes, size), expected);
}

#define LOOK(bytes, expected) assert_look(bytes, sizeof(bytes) - 1, TLS_ALERT_##expected)

static void test_alerts_of_tls_1_2(void **state)
{
	char alert[] = "\x15\x03\x03\x00\x02\x02\x30";

	(void)state;
	LOOK("\x15\x03\x03\x00\x02\x02\x30", CERTIFICATE);
	LOOK("\x15\x03\x03\x00\x02\x02\x2a", CERTIFICATE);
	LOOK("\x15\x03\x03\x00\x02\x02\x2f", NONE); /* illegal_parameter */
	LOOK("\x15\x03\x03\x00\x02\x01\x00", NONE); /* close_notify */
	LOOK("\x15\x03\x03\x00\x02\x02\x28", NONE); /* handshake_failure */
	LOOK("\x15\x03\x03\x00\x02\x02", NONE);
	for (size_t size = 1; size < sizeof(alert) - 1; size++)
		assert_look(alert, size, TLS_ALERT_NONE);
	LOOK("\x16\x03\x03\x00\x25\x10\x00\x00\x21\x20", NONE); /* its key: it agrees */
}

static void test_alerts_of_tls_1_3(void **state)
{
	(void)state;
	LOOK("\x17\x03\x03\x00\x13", CERTIFICATE);
	LOOK(CCS "\x17\x03\x03\x00\x13........", CERTIFICATE);
	LOOK(CCS "\x17\x03\x03\x00\x45........", NONE); /* Finished */
	LOOK(CCS, MORE);
	LOOK("", MORE);
	LOOK(CCS "\x17\x03", NONE);
	LOOK("\x14\x03\x03\xff\xff\x01", NONE);
	LOOK(CCS CCS "\x17\x03\x03\x00\x13", CERTIFICATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alerts_of_tls_1_2),
		cmocka_unit_test(test_alerts_of_tls_1_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
