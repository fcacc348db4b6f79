/*
 * test_http_request - which requests pass on a connection to one host, and how many bytes of them.
 */
#include "unit.h"

#include "protocol/http_answer.h"
#include "protocol/http_request.h"

#define NAME  "a.example.org"
#define HOST  "Host: a.example.org\r\n"
#define GET   "GET / HTTP/1.1\r\n" HOST "\r\n"
#define POST  "POST /x HTTP/1.1\r\n" HOST
#define CHUNK POST "Transfer-Encoding: chunked\r\n\r\n"

static struct http_follower follower;

/* Feed a stream as a caller does, `piece` bytes at a time; what is held back comes again. */
static size_t feed(const char *name, uint16_t port, const char *stream, size_t size, size_t piece)
{
	size_t start = 0;
	size_t end = 0;

	http_follower_init(&follower, name, port);
	while (end < size && follower.place != HTTP_REFUSED) {
		ssize_t n;

		end += size - end < piece ? size - end : piece;
		do {
			uint8_t *copy = malloc(end - start + 1);

			assert_non_null(copy);
			memcpy(copy, stream + start, end - start);
			n = http_follow(&follower, copy, end - start);
			free(copy);
			if (n > 0)
				start += (size_t)n;
			assert_true(start <= end);
		} while (n > 0 && start < end);
		assert_int_equal(n < 0, n <= 0 && follower.place == HTTP_REFUSED);
	}
	assert_int_equal(follower.why != NULL, follower.place == HTTP_REFUSED);
	return start;
}

/* At once, and in pieces of any size: the same bytes pass, and the end is the same. */
static size_t passes_of(const char *name, uint16_t port, const char *stream, size_t size)
{
	static const size_t pieces[] = {1, 2, 3, 5, 7, 30, 1000};
	size_t passed = feed(name, port, stream, size, size);
	const char *why = follower.why;
	enum http_place place = follower.place;
	uint64_t requests = follower.requests;

	for (size_t i = 0; i < COUNT(pieces); i++) {
		assert_int_equal(feed(name, port, stream, size, pieces[i]), passed);
		assert_ptr_equal(follower.why, why);
		assert_int_equal(follower.place, place);
		assert_int_equal(follower.requests, requests);
	}
	return passed;
}

static size_t passes(const char *stream)
{
	return passes_of(NAME, 80, stream, strlen(stream));
}

static void all_pass(const char *const *table, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (passes(table[i]) != strlen(table[i]) || follower.place != HTTP_HEAD)
			fail_msg("%s: %s", table[i], follower.why ? follower.why : "held back");
		assert_int_equal(follower.requests, 1);
	}
}

static void nothing_passes(const char *stream, const char *why)
{
	if (passes(stream) || !follower.why)
		fail_msg("passes: %s", stream);
	assert_says(follower.why, why);
}

static void test_ordinary_requests_pass(void **state)
{
	static const char *const table[] = {
		GET,
		"GET / HTTP/1.0\r\nHost: a.example.org\r\n\r\n",
		"GET /a//b/../c?q=1&r=http://other.org/%2e HTTP/1.1\r\nHost: A.Example.ORG\r\n\r\n",
		"GET //other.org/ HTTP/1.1\r\nhost:a.example.org.\r\n\r\n",
		"GET / HTTP/1.1\r\nHOST: \ta.example.org:80 \t\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.example.org.:80\r\n\r\n",
		"GET http://a.example.org/ HTTP/1.1\r\n" HOST "\r\n",
		"GET HTTP://A.example.org:80?x HTTP/1.1\r\n" HOST "\r\n",
		"GET http://a.example.org HTTP/1.1\r\n" HOST "\r\n",
		"OPTIONS * HTTP/1.1\r\n" HOST "\r\n",
		"TRACE / HTTP/1.1\r\n" HOST "\r\n",
		"M-SEARCH /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n",
		"GET / HTTP/1.1\r\n" HOST
		"Accept: */*\r\nX: \xff\"; a=b\tc\r\nEmpty:\r\nA_b: c\r\n\r\n",
		"GET / HTTP/1.1\r\nConnection: close, TE\r\nUpgrade-Insecure-Requests: 1\r\n" HOST
		"\r\n",
		POST "Content-Length: 0\r\n\r\n",
		POST "content-length:5\r\n\r\nhello",
		POST "Content-Length: 16\r\n\r\nGET / HTTP/1.1\r\n",
		"GET / HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n\r\n",
		CHUNK "0\r\n\r\n",
		CHUNK "5\r\nhello\r\n0\r\n\r\n",
		CHUNK "A\r\n0123456789\r\n1;a=b;c=\"d\"\r\n\n\r\n0;e\r\nX-Sum: 1\r\nY:\r\n\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding:chunked\r\n" HOST
		"\r\nf\r\n012345678901234\r\n0\r\n\r\n",
	};

	(void)state;
	all_pass(table, COUNT(table));
}

static void test_requests_of_a_connection_are_all_judged(void **state)
{
	static const char evil[] = "GET / HTTP/1.1\r\nHost: b.example.org\r\n\r\n";
	static const char *const before[] = {
		GET,
		GET GET GET,
		POST "Content-Length: 4\r\n\r\nabcd",
		CHUNK "3\r\nabc\r\n0\r\n\r\n",
		CHUNK "0\r\nA: b\r\n\r\n",
		POST "Content-Length: 0\r\n\r\n",
		GET CHUNK "0\r\n\r\n" GET,
	};
	char stream[1000];

	(void)state;
	for (size_t i = 0; i < COUNT(before); i++) {
		snprintf(stream, sizeof(stream), "%s%s" GET, before[i], evil);
		assert_int_equal(passes(stream), strlen(before[i]));
		assert_says(follower.why, "Host is another");
	}
	/* Refused for good, whatever comes. */
	assert_int_equal(http_follow(&follower, (const uint8_t *)GET, strlen(GET)), -1);
	/* What stands in a body is none of them. */
	snprintf(stream, sizeof(stream), POST "Content-Length: %zu\r\n\r\n%s" GET, strlen(evil),
		 evil);
	assert_int_equal(passes(stream), strlen(stream));
	assert_int_equal(follower.requests, 2);
}

/* The caller may see at once what comes behind the bytes that pass. */
static void test_a_refusal_is_known_with_what_passes_before_it(void **state)
{
	static const char stream[] = GET "CONNECT";

	(void)state;
	http_follower_init(&follower, NAME, 80);
	assert_int_equal(http_follow(&follower, (const uint8_t *)GET "CONNECT x:1 HTTP/1.1\r\n",
				     strlen(GET) + 22),
			 strlen(GET));
	assert_says(follower.why, "CONNECT");
	assert_int_equal(http_follow(&follower, (const uint8_t *)"CONNECT x:1 HTTP/1.1\r\n", 22),
			 -1);
	assert_int_equal(passes(stream), strlen(GET));
	assert_null(follower.why);
}

static void test_nothing_of_a_head_passes_before_its_end(void **state)
{
	(void)state;
	for (size_t size = 0; size < strlen(GET); size++) {
		assert_int_equal(feed(NAME, 80, GET, size, 1000), 0);
		assert_null(follower.why);
	}
	/* The line of a chunk and the fields behind the last one are held back, too. */
	assert_int_equal(passes(CHUNK "5"), strlen(CHUNK));
	assert_int_equal(passes(CHUNK "5\r"), strlen(CHUNK));
	assert_int_equal(passes(CHUNK "5\r\nab"), strlen(CHUNK "5\r\nab"));
	assert_int_equal(passes(CHUNK "0\r\nA: b\r\n"), strlen(CHUNK "0\r\n"));
}

static void test_hosts(void **state)
{
	static const struct {
		const char *host;
		const char *why;
	} table[] = {
		{"",			       "no Host"             },
		{"Hosts: a.example.org\r\n",       "no Host"             },
		{HOST HOST,                        "@http_head_host#more"},
		{HOST "hOST: b\r\n",               "@http_head_host#more"},
		{HOST "X: y\r\nHost:\r\n",         "@http_head_host#more"},
		{"Host:\r\n",                      "Host is another"     },
		{"Host: b.example.org\r\n",        "Host is another"     },
		{"Host: example.org\r\n",          "Host is another"     },
		{"Host: x.a.example.org\r\n",      "Host is another"     },
		{"Host: a.example.org:\r\n",       "Host is another"     },
		{"Host: a.example.org:81\r\n",     "Host is another"     },
		{"Host: a.example.org:080\r\n",    "Host is another"     },
		{"Host: a.example.org:80:80\r\n",  "Host is another"     },
		{"Host: a.example.org:65616\r\n",  "Host is another"     },
		{"Host: a.example.org..\r\n",      "Host is another"     },
		{"Host: a.example.org, b\r\n",     "Host is another"     },
		{"Host: a.example.org b\r\n",      "Host is another"     },
		{"Host: a.example.org/\r\n",       "Host is another"     },
		{"Host: x@a.example.org\r\n",      "Host is another"     },
		{"Host: http://a.example.org\r\n", "Host is another"     },
		{"Host: a.example.org#\r\n",       "Host is another"     },
		{"Host: [a.example.org]\r\n",      "Host is another"     },
		{"Host: 80\r\n",                   "Host is another"     },
		{"Host: :80\r\n",                  "Host is another"     },
		{"Host: a%2eexample.org\r\n",      "Host is another"     },
		{"Ho_st: a.example.org\r\n",       "no Host"             },
		{"Host : a.example.org\r\n",       "an odd field"        },
	};
	char request[300];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		snprintf(request, sizeof(request), "GET / HTTP/1.1\r\n%s\r\n", table[i].host);
		nothing_passes(request, table[i].why);
	}
}

static void test_addresses_as_hosts(void **state)
{
	static const struct {
		const char *name;
		uint16_t port;
		const char *host;
		bool is_good;
	} table[] = {
		{"10.0.0.5",    80,   "10.0.0.5",           true },
		{"10.0.0.5",    8080, "10.0.0.5:8080",      true },
		{"10.0.0.5",    8080, "10.0.0.5:80",        false},
		{"10.0.0.5",    80,   "10.0.0.5.",          false},
		{"10.0.0.5",    80,   "10.0.0.05",          false},
		{"10.0.0.5",    80,   "167772165",          false},
		{"10.0.0.5",    80,   "10.0.0.6",           false},
		{"10.0.0.5",    80,   "[::ffff:10.0.0.5]",  false},
		{"10.0.0.5",    80,   "[10.0.0.5]",         false},
		{"2001:db8::1", 80,   "[2001:db8::1]",      true },
		{"2001:db8::1", 80,   "[2001:DB8:0::0001]", true },
		{"2001:db8::1", 81,   "[2001:db8::1]:81",   true },
		{"2001:db8::1", 1,    "2001:db8::1",        false},
		{"2001:db8::1", 80,   "[2001:db8::1",       false},
		{"2001:db8::1", 80,   "[2001:db8::1%25lo]", false},
		{"2001:db8::1", 80,   "[]",                 false},
		{"2001:db8::1", 80,   "[",                  false},
		{"db",          5000, "db:5000",            true },
		{"db",          5000, "DB",                 true },
		{"*.org",       80,   "a.org",              false}, /* not canonical: like nothing */
		{"*.org",       80,   "",                   false},
		{"",            80,   "",                   false},
	};
	char request[300];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		size_t passed;

		snprintf(request, sizeof(request), "GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n",
			 table[i].host, table[i].host);
		passed = passes_of(table[i].name, table[i].port, request, strlen(request));
		if (passed != (table[i].is_good ? strlen(request) : 0))
			fail_msg("%s for %s: %s", table[i].host, table[i].name, follower.why);
	}
}

static void test_request_lines(void **state)
{
	static const struct {
		const char *line;
		const char *why;
	} table[] = {
		{"",					     "@http_head_request#HTTP"   },
		{"GET",					  "@http_head_request#HTTP"   },
		{" GET / HTTP/1.1",                              "@http_head_method"         },
		{"G@T / HTTP/1.1",                               "@http_head_method"         },
		{"GET\xa0/ HTTP/1.1",                            "@http_head_method"         },
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG / HTTP/1.1", "@http_head_method"         },
		{"GET /",					"@http_head_request#version"},
		{"GET / ",				       "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / HTTP/1.2",                               "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / HTTP/0.9",                               "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / HTTP/2",				 "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / http/1.1",                               "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / HTTP/1.1 ",                              "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / HTTP/1.1\t",                             "not HTTP/1.0 or HTTP/1.1"  },
		{"GET / HTTP/01.1",                              "not HTTP/1.0 or HTTP/1.1"  },
		{"GET  / HTTP/1.1",                              "@http_head_target#odd"     },
		{"GET /  HTTP/1.1",                              "@http_head_target#odd"     },
		{"GET /a b HTTP/1.1",                            "@http_head_target#odd"     },
		{"GET /a\tb HTTP/1.1",                           "@http_head_target#odd"     },
		{"GET\t/ HTTP/1.1",                              "@http_head_method"         },
		{"GET  HTTP/1.1",                                "@http_head_target#another" },
		{"GET x HTTP/1.1",                               "@http_head_target#another" },
		{"GET ?x HTTP/1.1",                              "@http_head_target#another" },
		{"GET * HTTP/1.1",                               "@http_head_target#path"    },
		{"CONNECT b.org:443 HTTP/1.1",                   "CONNECT"                   },
		{"CONNECT a.example.org:80 HTTP/1.1",            "CONNECT"                   },
		{"connect / HTTP/1.1",                           "CONNECT"                   },
		{"PRI * HTTP/2.0",                               "HTTP/2 without TLS"        },
		{"GET http://b.example.org/ HTTP/1.1",           "@http_head_target#another" },
		{"GET http://a.example.org:81/ HTTP/1.1",        "@http_head_target#another" },
		{"GET http://a.example.org@b.org/ HTTP/1.1",     "@http_head_target#another" },
		{"GET http://b.org#a.example.org/ HTTP/1.1",     "@http_head_target#another" },
		{"GET http://a.example.org\\b.org/ HTTP/1.1",    "@http_head_target#another" },
		{"GET http:///a.example.org/ HTTP/1.1",          "@http_head_target#another" },
		{"GET http:/a.example.org/ HTTP/1.1",            "@http_head_target#another" },
		{"GET https://a.example.org/ HTTP/1.1",          "@http_head_target#another" },
		{"GET ftp://a.example.org/ HTTP/1.1",            "@http_head_target#another" },
		{"GET a.example.org:80 HTTP/1.1",                "@http_head_target#another" },
		{"SSH-2.0-OpenSSH_9.2p1",                        "@http_head_request#HTTP"   },
	};
	char request[300];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		snprintf(request, sizeof(request), "%s\r\n" HOST "\r\n", table[i].line);
		nothing_passes(request, table[i].why);
		/* Known with the first line. */
		snprintf(request, sizeof(request), "%s\r\n", table[i].line);
		nothing_passes(request, table[i].why);
	}
}

static void test_what_servers_read_differently(void **state)
{
	static const char lf[] = "@http_request_byte#alone";
	static const char control[] = "@http_request_byte#control";
	static const char length[] = "an odd Content-Length";
	static const char encoding[] = "@http_head_encoding#chunked";
	static const struct {
		const char *fields;
		const char *why;
	} table[] = {
		{HOST "A: b\r\n c\r\n",					       "@http_head_split#line"       },
		{" " HOST,							    "@http_head_split#line"       },
		{HOST "\tA: b\r\n",						   "@http_head_split#line"       },
		{HOST "A : b\r\n",						    "an odd field"                },
		{HOST "A\t: b\r\n",						   "an odd field"                },
		{HOST "A\r\n",							"an odd field"                },
		{HOST ": b\r\n",						      "an odd field"                },
		{HOST "A(b): c\r\n",						  "an odd field"                },
		{HOST "A\xc3\xa9: c\r\n",					     "an odd field"                },
		{HOST "Content_Length: 5\r\n",                                        "an odd field"                },
		{HOST "Transfer_Encoding: chunked\r\n",                               "an odd field"                },
		{HOST "A: b\n",						       lf                            },
		{HOST "A: b\n\n",						     lf                            },
		{"Host: a.example.org\nA: b\r\n",                                     lf                            },
		{HOST "A: b\rc\r\n",						  "CR without LF"               },
		{HOST "A: b\r\r\n",						   "CR without LF"               },
		{HOST "A: \x01\r\n",						  control                       },
		{HOST "A: \x0b\r\n",						  control                       },
		{HOST "A: \x7f\r\n",						  control                       },
		{HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		 "Content-Length with Transfer-Encoding"							    },
		{HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		 "Content-Length with Transfer-Encoding"							    },
		{HOST "Content-Length: 5\r\nContent-Length: 5\r\n",                   "@http_head_length#more"      },
		{HOST "Content-Length: 0\r\ncontent-length: 5\r\n",                   "@http_head_length#more"      },
		{HOST "Content-Length: 5, 5\r\n",                                     length                        },
		{HOST "Content-Length: +5\r\n",                                       length                        },
		{HOST "Content-Length: -1\r\n",                                       length                        },
		{HOST "Content-Length: 05\r\n",                                       length                        },
		{HOST "Content-Length: 0x5\r\n",                                      length                        },
		{HOST "Content-Length: 5 \t6\r\n",                                    length                        },
		{HOST "Content-Length: 5.0\r\n",                                      length                        },
		{HOST "Content-Length:\r\n",                                          length                        },
		{HOST "Content-Length: 1234567890123456789\r\n",                      length                        },
		{HOST "Transfer-Encoding: Chunked\r\n",                               encoding                      },
		{HOST "Transfer-Encoding: gzip, chunked\r\n",                         encoding                      },
		{HOST "Transfer-Encoding: chunked, identity\r\n",                     encoding                      },
		{HOST "Transfer-Encoding: identity\r\n",                              encoding                      },
		{HOST "Transfer-Encoding: \"chunked\"\r\n",                           encoding                      },
		{HOST "Transfer-Encoding: chunked;q=1\r\n",                           encoding                      },
		{HOST "Transfer-Encoding: \x0b"
		      "chunked\r\n",				 control                       },
		{HOST "Transfer-Encoding:\r\n",                                       encoding                      },
		{HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		 "@http_head_encoding#more"									 },
		{HOST "Upgrade: h2c\r\n",					     "@http_head_upgrade#websocket"},
		{HOST "Upgrade: websocket, h2c\r\n",                                  "@http_head_upgrade#websocket"},
		{HOST "Upgrade: TLS/1.0\r\n",                                         "@http_head_upgrade#websocket"},
		{HOST "Upgrade: websocket\r\nUpgrade: websocket\r\n",                 "@http_head_upgrade#more"     },
		{HOST "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",                 "HTTP2-Settings"              },
		{HOST "http2_settings: A\r\n",                                        "an odd field"                },
	};
	char request[300];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		snprintf(request, sizeof(request), "GET / HTTP/1.1\r\n%s\r\n", table[i].fields);
		nothing_passes(request, table[i].why);
	}
	nothing_passes("\r\n" GET, "@http_head_request#HTTP");
	nothing_passes("GET / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
		       "@http_head_end#HTTP/1.0");
	assert_int_equal(passes_of(NAME, 80, "GET /\0 HTTP/1.1\r\n", 17), 0);
	assert_says(follower.why, control);
	assert_int_equal(passes_of(NAME, 80, "\x16\x03\x01\x02", 4), 0);
	assert_says(follower.why, control);
}

/* What a proxy, or a server behind one, reads in place of Host, or takes out of a head. */
static void test_what_proxies_obey(void **state)
{
	static const char named[] = "@http_head_connection";
	static const char other[] = "@http_head_another";
	static const char odd[] = "an odd Forwarded";
	static const struct {
		const char *field;
		const char *why; /* NULL: it passes */
	} table[] = {
		{"Connection: close",						      NULL          },
		{"Connection: keep-alive, Upgrade",                                        NULL          },
		{"connection: TE,close",						   NULL          },
		{"Proxy-Connection: Keep-Alive",                                           NULL          },
		{"Connection: close, Content-Length",                                      named         },
		{"Connection: Host",						       named         },
		{"Connection: Transfer-Encoding",                                          named         },
		{"Connection: close,",						     named         },
		{"Connection:",							    named         },
		{"Connection: close;x",						    named         },
		{"Connection: \"close\"",						  named         },
		{"Proxy-Connection: host",						 named         },
		{"Proxy_Connection: close",						"an odd field"},
		{"X-Forwarded-Host: A.example.org:80",                                     NULL          },
		{"X-Forwarded-Host: a.example.org, a.example.org",                         NULL          },
		{"X-Forwarded-Host: b.example.org",                                        other         },
		{"X-Forwarded-Host: a.example.org, b.example.org",                         other         },
		{"X-Forwarded-Host: a.example.org:81",                                     other         },
		{"X-Forwarded-Host:",						      other         },
		{"X-Forwarded-Server: b.example.org",                                      other         },
		{"X-Original-Host: b.example.org",                                         other         },
		{"X-Host: b.example.org",						  other         },
		{"X-HTTP-Host-Override: b.example.org",                                    other         },
		{"X_Forwarded_Host: a.example.org",                                        "an odd field"},
		{"X-Forwarded-For: 192.0.2.1, b.example.org",                              NULL          },
		{"X-Original-URL: /a",						     NULL          },
		{"X-Rewrite-URL: http://a.example.org/a",                                  NULL          },
		{"X-Rewrite-URL: http://b.example.org/a",                                  other         },
		{"X-Original-URL: //b.example.org/a",                                      other         },
		{"X-Original-URL: /\\b.example.org/a",                                     other         },
		{"X-Original-URL: a",						      other         },
		{"Forwarded: for=192.0.2.1;proto=http;host=a.example.org",                 NULL          },
		{"Forwarded: for=\"[2001:db8::1]:80\"; Host=\"a.example.org:80\", for=_b", NULL          },
		{"Forwarded: for=\"a;host=b.example.org,c\"",                              NULL          },
		{"Forwarded: host=b.example.org",                                          other         },
		{"Forwarded: for=a, for=b;host=b.example.org",                             other         },
		{"Forwarded: for=a;HOST=\"b.example.org\"",                                other         },
		{"Forwarded: host=",						       other         },
		{"Forwarded: for=a;",						      odd           },
		{"Forwarded: ,for=a",						      odd           },
		{"Forwarded: host",							odd           },
		{"Forwarded: host =b.example.org",                                         odd           },
		{"Forwarded: host=\"a.example.org\\\"\"",                                  odd           },
		{"Forwarded: for=\"a;host=b.example.org",                                  odd           },
		{"Forwarded: for=a\"b\"",						  odd           },
		{"Forwarded:",							     odd           },
	};
	char request[300];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		snprintf(request, sizeof(request), "GET / HTTP/1.1\r\n" HOST "%s\r\n\r\n",
			 table[i].field);
		if (table[i].why)
			nothing_passes(request, table[i].why);
		else
			assert_int_equal(passes(request), strlen(request));
	}
}

static void test_chunks(void **state)
{
	static const char size[] = "@http_request_chunk#size";
	static const char fields[] = "@http_head_trailer";
	static const struct {
		const char *body;
		size_t passes;
		const char *why;
	} table[] = {
		{"\r\n",			  0, size                           },
		{"g\r\n",                         0, size                           },
		{" 5\r\n",                        0, size                           },
		{"5 \r\n",                        0, size                           },
		{"5 ;a\r\n",                      0, size                           },
		{"+5\r\n",                        0, size                           },
		{"-5\r\n",                        0, size                           },
		{"0x5\r\n",                       0, size                           },
		{"05\r\n",                        0, size                           },
		{"00\r\n",                        0, size                           },
		{"5,5\r\n",                       0, size                           },
		{"1000000000000000\r\n",          0, size                           },
		{"ffffffffffffffffff\r\n",        0, size                           },
		{";a\r\n",                        0, size                           },
		{"5;a b\r\n",                     0, "@http_request_chunk#extension"},
		{"5;\xc3\r\n",                    0, "@http_request_chunk#extension"},
		{"5;a\\\r\n",                     0, "@http_request_chunk#extension"},
		{"5;a\n",                         0, "@http_request_byte#alone"     },
		{"5\n",			   0, "@http_request_byte#alone"     },
		{"5\rx",			  0, "CR without LF"                },
		{"5\r\nhello0\r\n",               8, "@http_request_lines"          },
		{"5\r\nhello\n",                  8, "@http_request_byte#alone"     },
		{"5\r\nhello\r0",                 8, "CR without LF"                },
		{"0\r\nHost: a.example.org\r\n",  3, fields                         },
		{"0\r\nContent-Length: 5\r\n",    3, fields                         },
		{"0\r\ntransfer_encoding: x\r\n", 3, fields                         },
		{"0\r\nUpgrade: websocket\r\n",   3, fields                         },
		{"0\r\n a: b\r\n",                3, "@http_head_split#line"        },
		{"0\r\na : b\r\n",                3, "an odd field"                 },
		{"0\r\na\r\n",                    3, "an odd field"                 },
		{"0\r\n\n",                       3, "@http_request_byte#alone"     },
	};
	char request[300];

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		snprintf(request, sizeof(request), CHUNK "%s", table[i].body);
		assert_int_equal(passes(request), strlen(CHUNK) + table[i].passes);
		assert_non_null(follower.why);
		assert_says(follower.why, table[i].why);
	}
	/* The longest size there is: all that comes belongs to it. */
	assert_int_equal(passes(CHUNK "fffffffffffffff\r\n" GET),
			 strlen(CHUNK "fffffffffffffff\r\n" GET));
	assert_int_equal(passes(POST "Content-Length: 999999999999999999\r\n\r\n" GET),
			 strlen(POST "Content-Length: 999999999999999999\r\n\r\n" GET));
}

static void test_bounds_of_a_head(void **state)
{
	static char head[2 * HTTP_HEAD_MAX];
	const size_t start = (size_t)snprintf(head, sizeof(head), "GET / HTTP/1.1\r\n" HOST "X: ");

	(void)state;
	memset(head + start, 'x', sizeof(head) - start);
	assert_int_equal(feed(NAME, 80, head, HTTP_HEAD_MAX - 1, 1000), 0);
	assert_null(follower.why);
	assert_int_equal(feed(NAME, 80, head, HTTP_HEAD_MAX, 1000), 0);
	assert_says(follower.why, "@http_request_lines");
	memcpy(head + HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(feed(NAME, 80, head, HTTP_HEAD_MAX, 1000), HTTP_HEAD_MAX);
	assert_null(follower.why);

	for (size_t fields = HTTP_FIELDS_MAX; fields <= HTTP_FIELDS_MAX + 1; fields++) {
		size_t size = (size_t)snprintf(head, sizeof(head), "GET / HTTP/1.1\r\n" HOST);

		for (size_t i = 1; i < fields; i++)
			size += (size_t)snprintf(head + size, sizeof(head) - size, "A:\r\n");
		size += (size_t)snprintf(head + size, sizeof(head) - size, "\r\n");
		assert_int_equal(passes(head), fields == HTTP_FIELDS_MAX ? size : 0);
	}
	assert_says(follower.why, "too many fields");

	memset(head, 'x', sizeof(head));
	memcpy(head, CHUNK "1;", strlen(CHUNK "1;"));
	assert_int_equal(feed(NAME, 80, head, strlen(CHUNK) + HTTP_LINE_MAX - 1, 100),
			 strlen(CHUNK));
	assert_null(follower.why);
	assert_int_equal(feed(NAME, 80, head, strlen(CHUNK) + HTTP_LINE_MAX, 100), strlen(CHUNK));
	assert_says(follower.why, "@http_request_lines");
}

/* A head that comes a byte at a time costs no more than one that comes at once. */
static void test_held_bytes_are_not_read_again(void **state)
{
	static uint8_t head[HTTP_HEAD_MAX - 1];
	static uint8_t poison[HTTP_HEAD_MAX - 1];
	size_t last = 0;

	(void)state;
	memset(head, 'x', sizeof(head));
	memcpy(head, "GET /", 5);
	http_follower_init(&follower, NAME, 80);
	for (size_t size = 1; size <= sizeof(head); size++) {
		/* Only the new byte and the one before it are what they were. */
		memset(poison + last, 0, size - last);
		memcpy(poison + (size > 1 ? size - 2 : 0), head + (size > 1 ? size - 2 : 0),
		       size > 1 ? 2 : 1);
		assert_int_equal(http_follow(&follower, poison, size), 0);
		last = size > 1 ? size - 2 : 0;
	}
	assert_null(follower.why);
}

#define WEBSOCKET                                                                                  \
	"GET /chat HTTP/1.1\r\n" HOST                                                              \
	"Connection: Upgrade\r\nUpgrade: WebSocket\r\n"                                            \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

static void test_an_upgrade_waits_for_the_answer(void **state)
{
	static const char frame[] = "\x81\x05hello";

	(void)state;
	assert_int_equal(passes(WEBSOCKET "\x81\x05hello"), strlen(WEBSOCKET));
	assert_true(follower.upgrade_asked);
	assert_int_equal(http_follow(&follower, (const uint8_t *)frame, 7), 0);
	http_follower_answered(&follower, 100);
	http_follower_answered(&follower, 0);
	http_follower_answered(&follower, -1);
	assert_true(follower.upgrade_asked);
	assert_int_equal(http_follow(&follower, (const uint8_t *)frame, 7), 0);
	http_follower_answered(&follower, 101);
	assert_false(follower.upgrade_asked);
	assert_int_equal(http_follow(&follower, (const uint8_t *)frame, 7), 7);
	assert_int_equal(http_follow(&follower, (const uint8_t *)"\0\r\nGET", 6), 6);

	/* Not upgraded: the bytes behind it are a request, or refused. */
	for (int status = 200; status < 1000; status += 97) {
		assert_int_equal(passes(WEBSOCKET), strlen(WEBSOCKET));
		http_follower_answered(&follower, status);
		assert_int_equal(http_follow(&follower, (const uint8_t *)GET, strlen(GET)),
				 strlen(GET));
		assert_int_equal(http_follow(&follower, (const uint8_t *)frame, 7), -1);
	}
	/* An answer that nobody waits for changes nothing. */
	http_follower_init(&follower, NAME, 80);
	http_follower_answered(&follower, 101);
	assert_int_equal(http_follow(&follower, (const uint8_t *)frame, 7), -1);
}

static void test_an_upgrade_is_the_first_request_or_none(void **state)
{
	(void)state;
	assert_int_equal(passes(GET WEBSOCKET), strlen(GET));
	assert_says(follower.why, "@http_request_begin_body");
	assert_int_equal(passes(WEBSOCKET), strlen(WEBSOCKET));
	http_follower_answered(&follower, 401);
	assert_int_equal(http_follow(&follower, (const uint8_t *)WEBSOCKET, strlen(WEBSOCKET)), -1);
	nothing_passes(POST "Upgrade: websocket\r\n\r\n", "@http_head_end#Upgrade");
	nothing_passes("GET / HTTP/1.0\r\n" HOST "Upgrade: websocket\r\n\r\n",
		       "@http_head_end#Upgrade");
	nothing_passes("GET / HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nContent-Length: 5\r\n\r\n",
		       "@http_head_end#Upgrade");
	nothing_passes("GET / HTTP/1.1\r\n" HOST
		       "Upgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n",
		       "@http_head_end#Upgrade");
	nothing_passes("GET / HTTP/1.1\r\nHost: b\r\nUpgrade: websocket\r\n\r\n",
		       "Host is another");
}

/* -- the answer ------------------------------------------------------------------------------- */

static void test_the_first_answer_has_the_status(void **state)
{
	static const struct {
		const char *text;
		int status;
	} table[] = {
		{"HTTP/1.1 101 Switching Protocols\r\n",                                           101},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",                                   200},
		{"HTTP/1.0 404 Not Found\r\n",						     404},
		{"HTTP/1.1 999 \r\n",							      999},
		{"HTTP/1.1 200\r\n",							       200},
		{"HTTP/1.1 204 \xc3\xa9\t\r\n",						    204},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 x\r\n",                                101},
		{"HTTP/1.1 103 Early\r\nLink: <x>\r\nA: HTTP/1.1 101 x\r\n\r\nHTTP/1.1 400 x\r\n",
		 400										  },
		{"HTTP/1.1 100\r\nHTTP/1.1 101 x: y\r\n\r\nHTTP/1.1 200 x\r\n",                    200},
		{"",									       0  },
		{"HTTP/1.1 101 x",								 0  },
		{"HTTP/1.1 101 x\r",							       0  },
		{"HTTP/1.1 100 x\r\n\r\n",							 0  },
		{"HTTP/1.1 101 x\n",							       -1 },
		{"HTTP/1.1 101 x\rx",							      -1 },
		{"HTTP/1.1 10\r\n",								-1 },
		{"HTTP/1.1 1010 x\r\n",							    -1 },
		{"HTTP/1.1 099 x\r\n",							     -1 },
		{"HTTP/1.1 000 x\r\n",							     -1 },
		{"HTTP/1.1 1a1 x\r\n",							     -1 },
		{"HTTP/1.1  101 x\r\n",							    -1 },
		{"HTTP/1.2 101 x\r\n",							     -1 },
		{"HTTP/2 101 x\r\n",							       -1 },
		{"http/1.1 101 x\r\n",							     -1 },
		{"\r\nHTTP/1.1 101 x\r\n",							 -1 },
		{"HTTP/1.1 100 x\r\n\n",							   -1 },
		{"HTTP/1.1 100 x\r\n\r\n\r\n",						     -1 },
		{"ICY 200 OK\r\n",								 -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		const uint8_t *bytes = (const uint8_t *)table[i].text;
		struct answer_reader at_once = {0};
		struct answer_reader by_byte = {0};

		if (answer_feed(&at_once, bytes, strlen(table[i].text)) != table[i].status)
			fail_msg("%s: %d", table[i].text, at_once.status);
		assert_int_equal(at_once.why != NULL, at_once.status == -1);
		for (size_t j = 0; j < strlen(table[i].text); j++)
			(void)answer_feed(&by_byte, bytes + j, 1);
		assert_int_equal(by_byte.status, table[i].status);
		assert_ptr_equal(by_byte.why, at_once.why);
		if (at_once.status)
			assert_int_equal(answer_feed(&at_once, (const uint8_t *)"x", 1),
					 table[i].status);
	}
}

static void test_interim_answers_have_an_end(void **state)
{
	static const char again[] = "HTTP/1.1 102 x\r\n\r\n";
	struct answer_reader reader = {0};
	size_t fed = 0;

	(void)state;
	while (!answer_feed(&reader, (const uint8_t *)again, strlen(again)))
		fed += strlen(again);
	assert_int_equal(reader.status, -1);
	assert_true(fed <= HTTP_ANSWER_MAX && fed + strlen(again) > HTTP_ANSWER_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordinary_requests_pass),
		cmocka_unit_test(test_requests_of_a_connection_are_all_judged),
		cmocka_unit_test(test_a_refusal_is_known_with_what_passes_before_it),
		cmocka_unit_test(test_nothing_of_a_head_passes_before_its_end),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_addresses_as_hosts),
		cmocka_unit_test(test_request_lines),
		cmocka_unit_test(test_what_servers_read_differently),
		cmocka_unit_test(test_what_proxies_obey),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_bounds_of_a_head),
		cmocka_unit_test(test_held_bytes_are_not_read_again),
		cmocka_unit_test(test_an_upgrade_waits_for_the_answer),
		cmocka_unit_test(test_an_upgrade_is_the_first_request_or_none),
		cmocka_unit_test(test_the_first_answer_has_the_status),
		cmocka_unit_test(test_interim_answers_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
