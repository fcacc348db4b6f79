/*
 * seccomp_profile - Docker's and OCI's seccomp profile JSON as typed rules.
 */
#include "seccomp/seccomp_profile.h"

#include <ctype.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

#define MAX_RULES 65536 /* after expansion; a filter has at most 4,096 instructions anyway */

/* All keys that each object may have. Unknown keys are refused: they may be meant to deny. */
static const char *const profile_keys[] = {
	"defaultAction", "defaultErrnoRet",  "defaultErrno", "architectures",
	"archMap",       "syscalls",         "flags",        "listenerPath",
	"comment",       "listenerMetadata", NULL,
};
static const char *const rule_keys[] = {
	"names", "name",     "action",   "errnoRet", "errno",
	"args",  "includes", "excludes", "comment",  NULL,
};
static const char *const argument_keys[] = {"index", "value", "valueTwo", "op", NULL};
static const char *const filter_keys[] = {"caps", "arches", "minKernel", NULL};
static const char *const arch_map_keys[] = {"architecture", "subArchitectures", NULL};

/* Go's names of architectures, as Docker uses them in "arches". We run on the first two. */
static const char *const go_arches[] = {
	[FILTER_ARCH_X86_64] = "amd64",
	[FILTER_ARCH_AARCH64] = "arm64",
	"386",
	"arm",
	"loong64",
	"mips",
	"mips64",
	"mips64n32",
	"mipsel",
	"mipsel64",
	"mipsel64n32",
	"ppc",
	"ppc64",
	"ppc64le",
	"riscv64",
	"s390",
	"s390x",
	"x32",
	"x86",
	NULL,
};

static const struct {
	const char *name;
	uint32_t action;
	const char *refused; /* why a known key is refused */
} actions[] = {
	{"SCMP_ACT_KILL",         SECCOMP_RET_KILL_THREAD,  NULL                               },
	{"SCMP_ACT_KILL_THREAD",  SECCOMP_RET_KILL_THREAD,  NULL                               },
	{"SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS, NULL                               },
	{"SCMP_ACT_TRAP",         SECCOMP_RET_TRAP,         NULL                               },
	{"SCMP_ACT_ERRNO",        SECCOMP_RET_ERRNO,        NULL                               },
	{"SCMP_ACT_LOG",          SECCOMP_RET_LOG,          NULL                               },
	{"SCMP_ACT_ALLOW",        SECCOMP_RET_ALLOW,        NULL                               },
	{"SCMP_ACT_NOTIFY",       0,                        "no agent of yours would answer it"},
	{"SCMP_ACT_TRACE",        0,                        "no tracer watches a sandbox"      },
};

static const struct {
	const char *name;
	enum compare_op op;
} operators[] = {
	{"SCMP_CMP_NE",        COMPARE_NE       },
	{"SCMP_CMP_LT",        COMPARE_LT       },
	{"SCMP_CMP_LE",        COMPARE_LE       },
	{"SCMP_CMP_EQ",        COMPARE_EQ       },
	{"SCMP_CMP_GE",        COMPARE_GE       },
	{"SCMP_CMP_GT",        COMPARE_GT       },
	{"SCMP_CMP_MASKED_EQ", COMPARE_MASKED_EQ},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static size_t seccomp_profile_find(const char *const *names, const char *name)
{
	size_t i = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/*
 * `what` must be an object with only these keys, each once: JSON does not say which duplicate
 * counts.
 */
static int seccomp_profile_check_object(const struct json *object, const char *what,
					const char *const *known, struct err *e)
{
	uint32_t seen = 0;

	if (!json_is_object(object))
		return err_input(e, "%s must be an object", what);
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		size_t i = seccomp_profile_find(known, json_key(n));

		if (!known[i])
			return err_input(e, "unknown key \"%.64s\" in %s", json_key(n), what);
		if (seen & 1u << i)
			return err_input(e, "\"%s\" stands twice in %s", known[i], what);
		seen |= 1u << i;
	}
	return 0;
}

/* A missing list counts as an empty one. */
static int seccomp_profile_get_strings(const struct json *object, const char *key,
				       const struct json **out, struct err *e)
{
	*out = NULL;
	if (json_get_array(object, key, out, e))
		return -1;
	for (const struct json *n = json_first(*out); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, "\"%s\" must be a list of strings", key);
	}
	return 0;
}

/* The number of "EPERM", which containers/common writes beside the number; -1: unknown name. */
static int seccomp_profile_errno_by_name(const char *name)
{
	for (int number = 1; number < 4096; number++) {
		const char *known = strerrorname_np(number);

		if (known && !strcmp(known, name))
			return number;
	}
	return -1;
}

/* The errno that an object gives under either key; EPERM if neither is there, as in Docker. */
static int seccomp_profile_get_errno(const struct json *object, const char *number_key,
				     const char *name_key, bool *given, uint32_t *out,
				     struct err *e)
{
	const char *name = NULL;
	uint64_t number = EPERM;

	if (json_get_uint(object, number_key, &number, e) ||
	    json_get_string(object, name_key, &name, e))
		return -1;
	*given = (name && *name) || json_get(object, number_key);
	if (number > 4095) /* MAX_ERRNO: the kernel would cut it off */
		return err_input(e, "\"%s\" must be 0 to 4095", number_key);
	if (name && *name) {
		int named = seccomp_profile_errno_by_name(name);

		if (named < 0)
			return err_input(e, "\"%s\": unknown errno \"%.64s\"", name_key, name);
		if (json_get(object, number_key) && number != (uint64_t)named)
			return err_input(e, "\"%s\" and \"%s\" disagree", number_key, name_key);
		number = (uint64_t)named;
	}
	*out = (uint32_t)number;
	return 0;
}

static int seccomp_profile_get_action(const struct json *object, const char *key,
				      const char *number_key, const char *name_key, uint32_t *out,
				      struct err *e)
{
	const char *name = NULL;
	bool errno_given;
	uint32_t number = 0;
	size_t i = 0;

	if (json_get_string(object, key, &name, e) ||
	    seccomp_profile_get_errno(object, number_key, name_key, &errno_given, &number, e))
		return -1;
	if (!name)
		return err_input(e, "\"%s\" is missing", key);
	while (i < LENGTH(actions) && strcmp(actions[i].name, name) != 0)
		i++;
	if (i == LENGTH(actions))
		return err_input(e, "\"%s\": unknown action \"%.64s\"", key, name);
	if (actions[i].refused)
		return err_input(e, "\"%s\": %s is not supported: %s", key, name,
				 actions[i].refused);
	if (actions[i].action == SECCOMP_RET_ERRNO) {
		*out = SECCOMP_RET_ERRNO | number;
		return 0;
	}
	if (errno_given)
		return err_input(e, "%s returns no errno: remove \"%s\"", name, number_key);
	*out = actions[i].action;
	return 0;
}

static int seccomp_profile_get_operator(const struct json *object, enum compare_op *out,
					struct err *e)
{
	const char *name = NULL;

	if (json_get_string(object, "op", &name, e))
		return -1;
	if (!name)
		return err_input(e, "\"op\" is missing");
	for (size_t i = 0; i < LENGTH(operators); i++) {
		if (!strcmp(operators[i].name, name)) {
			*out = operators[i].op;
			return 0;
		}
	}
	return err_input(e, "unknown \"op\" \"%.64s\"", name);
}

static int seccomp_profile_parse_condition(const struct json *node, struct seccomp_condition *out,
					   struct err *e)
{
	uint64_t index = UINT64_MAX;
	uint64_t value_two = 0;

	if (seccomp_profile_check_object(node, "an entry of \"args\"", argument_keys, e) ||
	    json_get_uint(node, "index", &index, e) ||
	    json_get_uint(node, "value", &out->value, e) ||
	    json_get_uint(node, "valueTwo", &value_two, e) ||
	    seccomp_profile_get_operator(node, &out->op, e))
		return -1;
	if (index > 5)
		return err_input(e, "\"index\" must be 0 to 5");
	if (!json_get(node, "value"))
		return err_input(e, "\"value\" is missing");
	out->argument = (uint8_t)index;
	if (out->op == COMPARE_MASKED_EQ) {
		out->mask = out->value;
		out->value = value_two & out->mask;
	} else if (value_two) {
		return err_input(e, "\"valueTwo\" has a meaning for SCMP_CMP_MASKED_EQ only");
	}
	return 0;
}

/* Append the conditions of one rule; *repeated: two of them test the same argument. */
static int seccomp_profile_parse_conditions(struct seccomp_profile *p, const struct json *rule,
					    bool *repeated, struct err *e)
{
	const struct json *list = NULL;
	unsigned used = 0;

	*repeated = false;
	if (json_get_array(rule, "args", &list, e))
		return -1;
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		struct seccomp_condition c = {.mask = UINT64_MAX};

		if (seccomp_profile_parse_condition(n, &c, e))
			return -1;
		*repeated |= (used & 1u << c.argument) != 0;
		used |= 1u << c.argument;
		p->conditions = own_grow(p->conditions, p->condition_count, sizeof(c));
		p->conditions[p->condition_count++] = c;
	}
	return 0;
}

/* Read "6.1" or "6.1.0-9-amd64" at the start of text. Returns what follows, or NULL. */
static const char *seccomp_profile_read_version(const char *text, unsigned *major, unsigned *minor)
{
	unsigned *parts[] = {major, minor};

	for (int i = 0; i < 2; i++) {
		if (i == 1 && *text++ != '.')
			return NULL;
		if (!isdigit((unsigned char)*text))
			return NULL;
		for (*parts[i] = 0; isdigit((unsigned char)*text); text++) {
			if (*parts[i] > 9999)
				return NULL;
			*parts[i] = *parts[i] * 10 + (unsigned)(*text - '0');
		}
	}
	return text;
}

void filter_target_set_kernel(struct filter_target *target, const char *release)
{
	if (!seccomp_profile_read_version(release, &target->kernel_major, &target->kernel_minor))
		target->kernel_major = target->kernel_minor = 0;
}

static int seccomp_profile_kernel_reached(const char *text, const struct filter_target *target,
					  bool *out, struct err *e)
{
	unsigned major;
	unsigned minor;
	const char *rest = seccomp_profile_read_version(text, &major, &minor);

	if (!rest || *rest)
		return err_input(e, "\"minKernel\" must be like \"4.8\"");
	if (!target->kernel_major)
		return err_input(e, "\"minKernel\" cannot be decided: the kernel is not known");
	*out = target->kernel_major > major ||
	       (target->kernel_major == major && target->kernel_minor >= minor);
	return 0;
}

/* Whether "includes" or "excludes" matches the target. */
struct filter_facts {
	bool names_arches;
	bool arch_is_named;
	bool names_caps;
	bool names_kernel;
	bool kernel_is_reached;
};

static int seccomp_profile_parse_filter(const struct json *rule, const char *key,
					const struct filter_target *target,
					struct filter_facts *out, struct err *e)
{
	const struct json *filter = json_get(rule, key);
	const struct json *arches;
	const struct json *caps;
	const char *kernel = NULL;

	*out = (struct filter_facts){0};
	if (!filter)
		return 0;
	if (seccomp_profile_check_object(filter, key, filter_keys, e) ||
	    seccomp_profile_get_strings(filter, "caps", &caps, e) ||
	    seccomp_profile_get_strings(filter, "arches", &arches, e) ||
	    json_get_string(filter, "minKernel", &kernel, e))
		return -1;
	for (const struct json *n = json_first(caps); n; n = json_next(n)) {
		if (strncmp(json_string(n), "CAP_", 4) != 0)
			return err_input(e, "\"caps\": \"%.64s\" is not a capability",
					 json_string(n));
		out->names_caps = true;
	}
	for (const struct json *n = json_first(arches); n; n = json_next(n)) {
		size_t arch = seccomp_profile_find(go_arches, json_string(n));

		if (!go_arches[arch])
			return err_input(e, "\"arches\": unknown \"%.64s\" (amd64, arm64, ...)",
					 json_string(n));
		out->names_arches = true;
		out->arch_is_named |= arch == target->arch;
	}
	out->names_kernel = kernel;
	return kernel ? seccomp_profile_kernel_reached(kernel, target, &out->kernel_is_reached, e)
		      : 0;
}

static int seccomp_profile_rule_applies(const struct json *rule, const struct filter_target *target,
					bool *out, struct err *e)
{
	struct filter_facts includes;
	struct filter_facts excludes;

	if (seccomp_profile_parse_filter(rule, "includes", target, &includes, e) ||
	    seccomp_profile_parse_filter(rule, "excludes", target, &excludes, e))
		return -1;
	*out = (!includes.names_arches || includes.arch_is_named) && !includes.names_caps &&
	       (!includes.names_kernel || includes.kernel_is_reached) && !excludes.arch_is_named &&
	       !excludes.kernel_is_reached;
	return 0;
}

static int seccomp_profile_add_rule(struct seccomp_profile *p, struct seccomp_rule rule,
				    struct err *e)
{
	if (!rule.name[0])
		return err_input(e, "a system call has an empty name");
	if (p->rule_count == MAX_RULES)
		return err_input(e, "more than %d rules", MAX_RULES);
	p->rules = own_grow(p->rules, p->rule_count, sizeof(rule));
	p->rules[p->rule_count++] = rule;
	return 0;
}

/* One system call of a rule: one entry, or one per condition if an argument is repeated. */
static int seccomp_profile_add_name(struct seccomp_profile *p, struct seccomp_rule rule, bool split,
				    struct err *e)
{
	size_t count = rule.condition_count;

	if (!split)
		return seccomp_profile_add_rule(p, rule, e);
	rule.condition_count = 1;
	for (size_t i = 0; i < count; i++, rule.first_condition++) {
		if (seccomp_profile_add_rule(p, rule, e))
			return -1;
	}
	return 0;
}

static int seccomp_profile_parse_rule(struct seccomp_profile *p, const struct json *node,
				      const struct filter_target *target, struct err *e)
{
	struct seccomp_rule rule = {.first_condition = p->condition_count};
	const struct json *names;
	const char *name = NULL;
	bool applies;
	bool split;

	if (seccomp_profile_check_object(node, "a rule", rule_keys, e) ||
	    seccomp_profile_get_action(node, "action", "errnoRet", "errno", &rule.action, e) ||
	    seccomp_profile_parse_conditions(p, node, &split, e) ||
	    seccomp_profile_rule_applies(node, target, &applies, e) ||
	    seccomp_profile_get_strings(node, "names", &names, e) ||
	    json_get_string(node, "name", &name, e))
		return -1;
	rule.condition_count = p->condition_count - rule.first_condition;
	if (name && !*name)
		name = NULL; /* Go also writes empty strings */
	if (!name == !json_count(names))
		return err_input(e, "a rule needs either \"names\" or \"name\"");
	if (!applies)
		return 0;
	if (name) {
		rule.name = name;
		return seccomp_profile_add_name(p, rule, split, e);
	}
	for (const struct json *n = json_first(names); n; n = json_next(n)) {
		rule.name = json_string(n);
		if (seccomp_profile_add_name(p, rule, split, e))
			return -1;
	}
	return 0;
}

static int seccomp_profile_parse_rules(struct seccomp_profile *p,
				       const struct filter_target *target, struct err *e)
{
	const struct json *list = NULL;
	size_t index = 0;

	if (json_get_array(p->document, "syscalls", &list, e))
		return -1;
	for (const struct json *n = json_first(list); n; n = json_next(n), index++) {
		if (seccomp_profile_parse_rule(p, n, target, e))
			return err_prefix(e, "syscalls[%zu]", index);
	}
	return 0;
}

/* Check the lists, but filter only the native ABI, whatever they contain. */
static int seccomp_profile_check_architectures(const struct json *document, struct err *e)
{
	const struct json *list;
	const struct json *map = NULL;
	const char *name = NULL;

	if (seccomp_profile_get_strings(document, "architectures", &list, e) ||
	    json_get_array(document, "archMap", &map, e))
		return -1;
	if (json_count(list) && json_count(map))
		return err_input(e, "either \"architectures\" or \"archMap\", not both");
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		if (strncmp(json_string(n), "SCMP_ARCH_", 10) != 0)
			return err_input(e, "\"architectures\": unknown \"%.64s\"", json_string(n));
	}
	for (const struct json *n = json_first(map); n; n = json_next(n)) {
		if (seccomp_profile_check_object(n, "an entry of \"archMap\"", arch_map_keys, e) ||
		    json_get_string(n, "architecture", &name, e) ||
		    seccomp_profile_get_strings(n, "subArchitectures", &list, e))
			return -1;
		if (!name || strncmp(name, "SCMP_ARCH_", 10) != 0)
			return err_input(e, "\"archMap\": \"architecture\" must be SCMP_ARCH_...");
	}
	return 0;
}

static int seccomp_profile_check_flags(const struct json *document, struct err *e)
{
	const struct json *flags;

	if (seccomp_profile_get_strings(document, "flags", &flags, e))
		return -1;
	for (const struct json *n = json_first(flags); n; n = json_next(n)) {
		/* The filter is loaded by a process with one thread: nothing to synchronise. */
		if (strcmp(json_string(n), "SECCOMP_FILTER_FLAG_TSYNC") != 0)
			return err_input(e, "flag %.64s is not supported: remove it",
					 json_string(n));
	}
	if (json_get(document, "listenerPath") || json_get(document, "listenerMetadata"))
		return err_input(e, "\"listenerPath\" is not supported: no agent would be asked");
	return 0;
}

static int seccomp_profile_parse_document(struct seccomp_profile *p,
					  const struct filter_target *target, struct err *e)
{
	const struct json *document = p->document;

	if (seccomp_profile_check_object(document, "the profile", profile_keys, e) ||
	    seccomp_profile_check_flags(document, e) ||
	    seccomp_profile_check_architectures(document, e) ||
	    seccomp_profile_get_action(document, "defaultAction", "defaultErrnoRet", "defaultErrno",
				       &p->default_action, e))
		return -1;
	return seccomp_profile_parse_rules(p, target, e);
}

int seccomp_profile_parse(const char *text, size_t length, const struct filter_target *target,
			  struct seccomp_profile *out, struct err *e)
{
	*out = (struct seccomp_profile){.arch = target->arch};
	if (length > SECCOMP_PROFILE_MAX)
		return err_input(e, "the profile is larger than 1m");
	out->document = json_parse(text, length, e);
	if (!out->document)
		return -1;
	if (seccomp_profile_parse_document(out, target, e)) {
		seccomp_profile_fini(out);
		return -1;
	}
	return 0;
}

void seccomp_profile_fini(struct seccomp_profile *p)
{
	json_free(p->document);
	free(p->rules);
	free(p->conditions);
	*p = (struct seccomp_profile){0};
}
