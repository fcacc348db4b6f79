# glovebox - a sealed chamber for Python. `make help` lists the targets.
#
# Everything lands below build/; V=1 shows the commands. A variant is the same rules with another $(B)
# and other flags: `make B=build/asan SAN=1`.

.DEFAULT_GOAL := all

B       ?= build
Q       := $(if $(V),,@)
ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md 2>/dev/null | head -n 1)

CPPFLAGS += -D_GNU_SOURCE -Iruntime -I. -I$(B)/gen -DGLOVEBOX_VERSION='"$(or $(VERSION),0.0.0)"'
WARN     := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
	    -Wundef -Wvla -Wwrite-strings -Wformat=2 -Wconversion -Wno-sign-conversion
HARDEN   := -fPIE -fstack-protector-strong -fstack-clash-protection -fno-plt -ftrivial-auto-var-init=zero
LDHARDEN := -pie -Wl,-z,relro,-z,now,-z,noexecstack,--as-needed
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
HARDEN   += -fcf-protection
endif
ifdef SAN
HARDEN   += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDHARDEN += -fsanitize=address,undefined
else
CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
endif
ifdef COVERAGE
HARDEN   += --coverage
LDHARDEN += --coverage
endif
ifdef TESTING
CPPFLAGS += -DGLOVEBOX_TESTING
endif
ifdef CI
WARN     += -Werror
endif
CFLAGS   ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(CFLAGS) $(WARN) $(HARDEN) -MMD -MP

# The code behind the boundary: no libc calls, and nothing that instruments it.
INSIDE_CFLAGS = $(filter-out -fsanitize% -fno-sanitize% --coverage,$(ALL_CFLAGS)) \
		-ffreestanding -fno-builtin-printf

# libcjson has no static form in Debian; the rest is linked in, to start faster.
LIBS       := -lcjson -l:libseccomp.a -l:libcap-ng.a
ifneq ($(SAN)$(COVERAGE),)
LIBS       := -lcjson -lseccomp -lcap-ng
endif
IMAGE_LIBS := $(LIBS) -larchive
AGENT_LIBS := $(LIBS) -lcurl -ledit -lnettle -lunistring

LAYERS   := base spec host inside wire client warm cli
# What runs in a warm cell only, and is linked into cell.so, cell-init and arenas.so below.
CELL_ONLY := cell cell_birth interpreter interpreter_end packet plan_map
CELL_SIDE := $(patsubst %,runtime/inside/%.c,$(CELL_ONLY) cell_init arenas)
SOURCES  := $(filter-out $(CELL_SIDE),$(foreach l,$(LAYERS),$(wildcard runtime/$(l)/*.c)))
OBJECTS  := $(patsubst %.c,$(B)/obj/%.o,$(SOURCES))
MAIN     := $(B)/obj/runtime/cli/main.o
IMAGE    := $(patsubst %.c,$(B)/obj/%.o,$(wildcard rootfs/*.c))
AGENT    := $(patsubst %.c,$(B)/obj/%.o,$(wildcard agent/*.c agent/*/*.c))
PROMPTS  := $(sort $(wildcard agent/prompts/*.txt))
CORE     := $(B)/libglovebox.a
GEN_BPF  := $(B)/tools/gen-bpf
UNIT     := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
# What tests drive; the runner takes test_* only.
UNIT     += $(B)/unit/wire_probe $(B)/unit/crowd_probe
PROGRAMS := $(addprefix $(B)/bin/,glovebox glovebox-image glovebox-agent docker)

# The guest: the Python that lives in a nursery, and the code behind the boundary built
# a second time, for a process of any libc: no stack protector, which needs one.
GUEST_DIR   := $(B)/guest
GUEST_PY    := $(patsubst rootfs/guest/%,$(GUEST_DIR)/%,$(wildcard rootfs/guest/*.py))
GUEST_BUILT := $(addprefix $(GUEST_DIR)/,cell.so cell-init arenas.so)
GUEST       := $(GUEST_PY) $(GUEST_BUILT)
ARENAS      := $(B)/cell/runtime/inside/arenas.o
CELL_OBJECTS := $(filter-out $(ARENAS),$(patsubst %.c,$(B)/cell/%.o,$(wildcard runtime/inside/*.c)))
CELL_CFLAGS := $(filter-out -fPIE -fstack-protector% -fsanitize% -fno-sanitize% --coverage,$(HARDEN)) \
	       -fPIC -fno-stack-protector -ffreestanding

# Not the first target below, which is a part of it.
.DEFAULT_GOAL := all

.PHONY: guest
guest: $(GUEST)

# Objects are kept, or every test would be compiled each time.
.SECONDARY:

.PHONY: all
all: deps $(PROGRAMS) $(GUEST)

.PHONY: deps
deps:
	@tools/install-deps build

$(B)/bin/glovebox: $(MAIN) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/bin/glovebox-image: $(IMAGE) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(IMAGE_LIBS)

$(B)/bin/glovebox-agent: $(AGENT) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(AGENT_LIBS)

$(B)/cell/%.o: %.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  cc   $@"
	$(Q)$(CC) $(CPPFLAGS) -std=gnu11 -O2 -g $(WARN) $(CELL_CFLAGS) -MMD -MP -c -o $@ $<

$(GUEST_DIR)/cell.so: $(filter-out %/cell_init.o,$(CELL_OBJECTS))
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -shared -nostdlib -Wl,-z,relro,-z,now,-z,noexecstack,-z,defs,-Bsymbolic -o $@ $^

$(GUEST_DIR)/cell-init: $(filter-out $(patsubst %,\%/%.o,$(CELL_ONLY)),$(CELL_OBJECTS))
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -static -nostdlib -Wl,-z,noexecstack,--gc-sections,-s -o $@ $^

# Two functions are Python's.
$(GUEST_DIR)/arenas.so: $(ARENAS)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -shared -nostdlib -Wl,-z,relro,-z,now,-z,noexecstack,-Bsymbolic -o $@ $^

$(GUEST_DIR)/%.py: rootfs/guest/%.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/bin/docker: | $(B)/bin/glovebox
	$(Q)ln -sf glovebox $@

$(CORE): $(filter-out $(MAIN),$(OBJECTS))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/obj/runtime/inside/%.o: runtime/inside/%.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  cc   $@"
	$(Q)$(CC) $(CPPFLAGS) $(INSIDE_CFLAGS) -c -o $@ $<

$(B)/obj/%.o: %.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  cc   $@"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# The shipped system call filter is compiled once, here (policy/python.json > BPF).
$(B)/obj/runtime/host/builtin_filter.o: $(B)/gen/python_filter.h
$(B)/obj/runtime/warm/nursery_policy.o: $(B)/gen/nursery_filter.h

$(B)/gen/python_filter.h: policy/python.json $(GEN_BPF)
	@mkdir -p $(@D)
	@echo "  bpf  $@"
	$(Q)$(GEN_BPF) python_filter $< --guard > $@.tmp && mv $@.tmp $@

$(B)/gen/%_filter.h: policy/%.json $(GEN_BPF)
	@mkdir -p $(@D)
	@echo "  bpf  $@"
	$(Q)$(GEN_BPF) $*_filter $< > $@.tmp && mv $@.tmp $@

# What the agent tells a model is text in files, and compiled in.
$(B)/obj/agent/tell/prompt.o: $(B)/gen/prompts.h

$(B)/gen/prompts.h: $(PROMPTS) tools/gen-prompts Makefile
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-prompts $(PROMPTS) > $@.tmp && mv $@.tmp $@

GEN_BPF_OBJECTS := $(B)/obj/tools/gen-bpf.o $(B)/obj/runtime/spec/seccomp_profile.o \
		   $(B)/obj/runtime/spec/filter_guard.o \
		   $(B)/obj/runtime/host/syscall_filter.o \
		   $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/base/*.c))
$(GEN_BPF): $(GEN_BPF_OBJECTS)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

# Unit tests see everything but the mains.
$(B)/libagent.a: $(filter-out %/main.o,$(AGENT))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/libimage.a: $(filter-out %/main.o,$(IMAGE))
	@rm -f $@
	$(Q)ar rcs $@ $^

TESTS_LIBS := $(AGENT_LIBS) -larchive

$(B)/unit/%: $(B)/obj/tests/unit/%.o $(B)/obj/tests/unit/only.o $(B)/libagent.a $(B)/libimage.a $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(TESTS_LIBS) -lcmocka

-include $(shell find $(B)/obj $(B)/cell -name '*.d' 2>/dev/null)

# --- for people -----------------------------------------------------------

.PHONY: help
help:
	@echo "make              build the programs into $(B)/bin"
	@echo "make demo         a real analysis in the sandbox, with its cost"
	@echo "make check        every test that this machine can run"
	@echo "make quick        a sample of them, in less than 45 s on two CPUs"
	@echo "make check-vm     what depends on the kernel, in a cgroup v2 one under QEMU"
	@echo "make check-vm-all every test there, in a quarter of an hour"
	@echo "make bench        speed and size against the floor and the peers"
	@echo "make soak         20,000 runs from warm cells, and what they leave behind"
	@echo "make asan         the tests under AddressSanitizer and UBSan"
	@echo "make tidy         clang-tidy, cppcheck, clang-format, layers, man page, policy table"
	@echo "make format       clang-format in place"
	@echo "make policy-table the tables of policy/README.md, from those of the attacks"
	@echo "make coverage     line coverage of the tests"
	@echo "make cross        compile everything for arm64"
	@echo "make install      DESTDIR= PREFIX=$(PREFIX)"
	@echo "make clean        remove $(B)"

.PHONY: demo
demo: all
	@tools/install-deps image
	@tools/demo $(B)/bin/glovebox
	@tools/demo-agent $(B)/bin/glovebox

TESTING_BIN := $(B)/testing/bin/glovebox
.PHONY: testing
testing:
	@$(MAKE) --no-print-directory B=$(B)/testing TESTING=1 $(TESTING_BIN) guest

.PHONY: check
check: all testing unit fuzz
	@tools/check-layers
	@tests/run --build $(B)

.PHONY: quick
quick: all testing unit
	@tools/check-layers
	@tests/run --build $(B) --quick

.PHONY: unit
unit: check-deps $(UNIT)

# Parsers under mutated seeds; the same harnesses work with clang's -fsanitize=fuzzer.
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/driver.o $(B)/libagent.a $(B)/libimage.a $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(TESTS_LIBS)

.PHONY: fuzz
fuzz: $(FUZZ)
	@for f in $(FUZZ); do (cd $(B)/fuzz && ./$${f##*/} -n 2000 \
		$(CURDIR)/tests/fuzz/seeds/$${f##*/fuzz_} </dev/null) || exit 1; done

.PHONY: check-deps
check-deps:
	@tools/install-deps check

# On two CPUs of their own they take 5 and 16 minutes.
.PHONY: check-vm check-vm-all
check-vm: all testing
	@tools/install-deps vm
	@tests/vm/run --timeout 2400 -- tests/run --build $(B) --kernel integration attack warm

check-vm-all: all testing
	@tools/install-deps vm
	@tests/vm/run --timeout 3600 -- tests/run --build $(B) integration attack

BENCH_WARM := $(B)/tools/bench-warm
$(BENCH_WARM): $(B)/obj/tools/bench-warm.o $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: soak
soak: all
	@tools/soak --runs 20000 --clients 4 --image python --glovebox $(B)/bin/glovebox

.PHONY: bench
bench: all $(BENCH_WARM)
	@tools/bench --glovebox $(B)/bin/glovebox

.PHONY: asan
asan:
	@$(MAKE) --no-print-directory B=$(B)/asan SAN=1 CFLAGS="-O1 -g" all unit fuzz
	@GLOVEBOX=$(CURDIR)/$(B)/asan/bin/glovebox tests/run --build $(B)/asan unit integration

.PHONY: tidy
tidy: all
	@tools/install-deps lint
	@tools/check-layers
	@python3 tests/attack/policy_table.py --check
	@tools/lint $(B)

.PHONY: policy-table
policy-table:
	@python3 tests/attack/policy_table.py

.PHONY: format
format:
	clang-format -i $(shell git ls-files '*.c' '*.h')

.PHONY: coverage
coverage:
	@$(MAKE) --no-print-directory B=$(B)/coverage COVERAGE=1 CFLAGS="-O0 -g" all unit
	@tests/run --build $(B)/coverage unit integration
	@tools/coverage $(B)/coverage

.PHONY: cross
cross:
	@tools/install-deps cross
	@tools/cross-compile $(B)/arm64

.PHONY: install
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions \
		$(DESTDIR)$(PREFIX)/share/glovebox
	install -m 755 $(B)/bin/glovebox $(B)/bin/glovebox-image $(B)/bin/glovebox-agent \
		$(DESTDIR)$(PREFIX)/bin/
	cp -r rootfs/recipes rootfs/hooks policy/python.json $(DESTDIR)$(PREFIX)/share/glovebox/
	install -d $(DESTDIR)$(PREFIX)/lib/glovebox/guest $(DESTDIR)$(PREFIX)/lib/systemd/user
	install -m 755 $(GUEST_BUILT) $(DESTDIR)$(PREFIX)/lib/glovebox/guest/
	install -m 644 $(GUEST_PY) $(DESTDIR)$(PREFIX)/lib/glovebox/guest/
	sed 's#@PREFIX@#$(PREFIX)#' rootfs/systemd/glovebox-warm.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/user/glovebox-warm.service
	install -m 644 rootfs/systemd/glovebox-warm.socket $(DESTDIR)$(PREFIX)/lib/systemd/user/
	$(B)/bin/glovebox generate man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox.1
	$(B)/bin/glovebox-agent generate man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-agent.1
	$(B)/bin/glovebox generate bash-completion \
		> $(DESTDIR)$(PREFIX)/share/bash-completion/completions/glovebox

.PHONY: clean
clean:
	rm -rf $(B)
