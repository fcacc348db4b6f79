/*
 * fuzz_seccomp_profile - a profile is compiled for every target, or refused.
 */
#include "fuzz.h"

#include "seccomp/syscall_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct filter_target targets[] = {
		{FILTER_ARCH_X86_64,  6, 1},
		{FILTER_ARCH_AARCH64, 0, 0},
	};

	for (size_t i = 0; i < 2; i++) {
		auto_seccomp_profile struct seccomp_profile profile = {0};
		auto_syscall_filter struct syscall_filter filter = {0};
		struct err e = {0};

		if (seccomp_profile_parse((const char *)data, size, &targets[i], &profile, &e)) {
			fuzz_check_error(&e);
			MUST(!profile.document && !profile.rules && !profile.conditions);
			continue;
		}
		for (size_t r = 0; r < profile.rule_count; r++) {
			const struct seccomp_rule *rule = &profile.rules[r];

			MUST(rule->name);
			MUST(rule->first_condition + rule->condition_count <=
			     profile.condition_count);
		}
		for (size_t c = 0; c < profile.condition_count; c++)
			MUST(profile.conditions[c].argument < 6);
		if (syscall_filter_compile(&profile, &filter, &e)) {
			fuzz_check_error(&e);
			MUST(!filter.program);
			continue;
		}
		MUST(filter.length > 0 && filter.length <= BPF_MAXINSNS);
		/* Every way through it ends: no jump leaves, the last instruction returns. */
		for (unsigned k = 0; k < filter.length; k++) {
			const struct sock_filter *f = &filter.program[k];

			if (BPF_CLASS(f->code) != BPF_JMP)
				continue;
			if (BPF_OP(f->code) == BPF_JA)
				MUST(f->k < (unsigned)filter.length - k - 1);
			else
				MUST(k + 1 + f->jt < filter.length &&
				     k + 1 + f->jf < filter.length);
		}
		MUST(BPF_CLASS(filter.program[filter.length - 1].code) == BPF_RET);
	}
	return 0;
}
