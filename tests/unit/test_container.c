/*
 * test_container - what is seen around this process becomes words and flags.
 */
#include "unit.h"

#include "cgroup/cgroup_outer.h"
#include "namespace/container.h"

#define DOCKER "docker run --security-opt "

static const struct {
	struct container seen;
	const char *words; /* all of them */
	const char *flags; /* the beginning */
} cases[] = {
	{{0},								       "",				     ""			     },
	{{.own_pid_ns = true},						      "a pid namespace",                      ""                             },
	{{.own_user_ns = true, .own_cgroup_ns = true},                              "a user namespace, a cgroup namespace", ""                             },
 /* A service of systemd's: no runtime could be told. */
	{{.is_filtered = true},						     "a system call filter",                 ""                             },
	{{.is_filtered = true, .covers = 2},
	 "a system call filter, mounts over /proc",									 DOCKER
	 "seccomp=unconfined --security-opt systempaths=unconfined; podman run --security-opt "
	 "seccomp=unconfined --security-opt unmask=ALL; Kubernetes: seccompProfile: Unconfined, "
	 "procMount: Unmasked"									  },
	{{.own_pid_ns = true, .apparmor = "docker-default"},
	 "a pid namespace, AppArmor's profile docker-default",							      DOCKER "apparmor=unconfined;"  },
	{{.own_pid_ns = true, .selinux = "system_u:system_r:container_t:s0:c1,c2"},
	 "a pid namespace, SELinux's system_u:system_r:container_t:s0:c1,c2",					       DOCKER "label=disable;"        },
	{{.own_pid_ns = true, .groups_are_read_only = true},
	 "a pid namespace, control groups read-only",								       DOCKER "writable-cgroups=true;"},
};

static void test_facts_become_words_and_flags(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_buf struct buf words = {0};
		auto_buf struct buf flags = {0};

		container_describe(&cases[i].seen, &words);
		container_flags(&cases[i].seen, &flags);
		assert_string_equal(buf_string(&words), cases[i].words);
		assert_int_equal(!*cases[i].flags, !flags.length);
		assert_memory_equal(buf_string(&flags), cases[i].flags, strlen(cases[i].flags));
	}
}

static void test_root_without_rights_is_told(void **state)
{
	const struct container c = {.own_pid_ns = true, .lacks_rights = true};
	auto_buf struct buf flags = {0};

	(void)state;
	container_flags(&c, &flags);
	if (geteuid())
		assert_string_equal(buf_string(&flags), "");
	else
		assert_string_equal(buf_string(&flags),
				    "docker run --cap-add SYS_ADMIN; podman run --cap-add "
				    "SYS_ADMIN; Kubernetes: capabilities: add: [SYS_ADMIN]");
}

static void test_outer_limits_are_described(void **state)
{
	const uint64_t none = OUTER_UNLIMITED;
	const struct {
		struct outer_limits limits;
		const char *words;
	} outer[] = {
		{{none, none, none, true},         ""                                       },
		{{512ull << 20, none, none, true}, "memory 512 MiB"                         },
		{{none, 64, 5, true},              "64 processes, 0.05 CPUs"                },
		{{1ull << 30, 1, 250, true},       "memory 1024 MiB, 1 processes, 2.50 CPUs"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(outer); i++) {
		auto_buf struct buf words = {0};

		cgroup_outer_describe(&outer[i].limits, &words);
		assert_string_equal(buf_string(&words), outer[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts_become_words_and_flags),
		cmocka_unit_test(test_root_without_rights_is_told),
		cmocka_unit_test(test_outer_limits_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
