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
OBJCOPY ?= objcopy
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md 2>/dev/null | head -n 1)

# The testing build compiles anew what asks for GLOVEBOX_TESTING, and links the rest of the plain one:
# what both share never depends on the word, because the structs are the same (tools/check-layers).
PLAIN   := $(if $(TESTING),$(B:%/testing=%),$(B))
GEN     := $(PLAIN)/gen
ASKING  := $(if $(TESTING),$(shell grep -rlE --include='*.c' 'GLOVEBOX_TESTING|confine_omitted|host_omits|fs_omits' runtime agent rootfs))
# objects - of sources, below folder obj or cell of the build that has them
objects  = $(foreach s,$(2),$(if $(filter $(s),$(ASKING)),$(B),$(PLAIN))/$(1)/$(s:.c=.o))

GIVEN_CPPFLAGS := $(CPPFLAGS)
CPPFLAGS += -D_GNU_SOURCE -Iruntime -I. -I$(GEN) -DGLOVEBOX_VERSION='"$(or $(VERSION),0.0.0)"'
CPPFLAGS += -isystem /usr/include/libnl3
WARN     := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes \
	    -Wundef -Wvla -Wwrite-strings -Wformat=2 -Wconversion -Wno-sign-conversion
# Asked once, and not before the first recipe: that may install the compiler.
CONTROL_FLOW = $(eval CONTROL_FLOW := $$(control_flow_$$(firstword $$(subst -, ,$$(shell $$(CC) -dumpmachine)))))$(CONTROL_FLOW)
control_flow_x86_64  := -fcf-protection
control_flow_aarch64 := -mbranch-protection=standard
AUTO_INIT := -ftrivial-auto-var-init=zero
ifdef VALGRIND
# What nobody has set must stay unset, for memcheck to see it.
AUTO_INIT :=
NATIVE_CALLS := $(B)/obj/tests/unit/native_calls.o
endif
HARDEN    = -fPIE -fstack-protector-strong -fstack-clash-protection -fno-plt $(AUTO_INIT) $(CONTROL_FLOW)
LDHARDEN := -pie -Wl,-z,relro,-z,now,-z,noexecstack,--as-needed
ifdef SAN
HARDEN   += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LDHARDEN += -fsanitize=address,undefined
else
CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
endif
ifndef COVERAGE
# Where it was built is in no file (tools/check-reproducible).
CPPFLAGS += -ffile-prefix-map=$(CURDIR)=.
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

# libcjson has no static form in Debian; the rest is linked in, to start faster. SHARED=1 is for
# distributions without static libraries.
LIBS       := -lcjson -l:libseccomp.a -l:libcap-ng.a -l:libnettle.a
ifneq ($(SAN)$(COVERAGE)$(SHARED),)
LIBS       := -lcjson -lseccomp -lcap-ng -lnettle
endif
IMAGE_LIBS := $(LIBS) -larchive
AGENT_LIBS := $(LIBS) -lcurl -ledit -lunistring
REPL_LIBS  := $(LIBS) -ledit
KERNEL_LIBS := $(LIBS) -lzmq
SERVE_LIBS := $(LIBS) -lgnutls

EGRESS_LIBS := $(LIBS) -l:libnl-route-3.a -l:libnl-3.a -l:libcares.a
ifneq ($(SAN)$(COVERAGE)$(SHARED),)
EGRESS_LIBS := $(LIBS) -lnl-route-3 -lnl-3 -lcares
endif

LAYERS   := base loop net fs image netpolicy seccomp spec flags host cgroup namespace root sandbox inside wire \
	    client session workspace monitor record service mcp warm prompt selftest cli container admin
# What runs in a warm cell only, and is linked into cell.so, cell-init and arenas.so below.
CELL_ONLY := cell cell_birth interpreter interpreter_end memory_holder
CELL_SIDE := $(patsubst %,runtime/inside/%.c,$(CELL_ONLY) cell_init arenas builtins)
SOURCES  := $(filter-out $(CELL_SIDE) runtime/mcp/main.c,$(foreach l,$(LAYERS),$(wildcard runtime/$(l)/*.c)))
OBJECTS  := $(call objects,obj,$(SOURCES))
MAIN     := $(call objects,obj,runtime/cli/main.c)
IMAGE_OBJ := $(call objects,obj,$(wildcard rootfs/*.c rootfs/*/*.c))
AGENT    := $(call objects,obj,$(wildcard agent/*.c agent/*/*.c))
REPL     := $(call objects,obj,$(wildcard runtime/repl/*.c))
KERNEL   := $(call objects,obj,$(wildcard runtime/kernel/*.c))
SERVE    := $(call objects,obj,$(wildcard $(patsubst %,runtime/%/*.c,web tenant store engine request box agentsandbox e2b librechat pandastack serve)))
EGRESS   := $(call objects,obj,$(wildcard runtime/egress/*.c runtime/protocol/*.c))
PROMPTS  := $(sort $(wildcard agent/prompts/*.txt))
CORE     := $(B)/libglovebox.a
LIBRARY  := $(B)/library/libglovebox.a
GEN_BPF  := $(PLAIN)/tools/gen-bpf
UNIT     := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
# What tests drive; the runner takes test_* only.
UNIT     += $(B)/unit/wire_probe $(B)/unit/crowd_probe $(B)/unit/mover_probe $(B)/unit/toy_face
PROGRAMS := $(addprefix $(B)/bin/,glovebox glovebox-image glovebox-agent glovebox-repl glovebox-kernel glovebox-serve glovebox-mcp glovebox-egress docker)

# The guest: the Python that lives in a nursery, and the code behind the boundary built
# a second time, for a process of any libc: no stack protector, which needs one.
GUEST_DIR   := $(B)/guest
GUEST_PY    := $(patsubst rootfs/guest/%,$(GUEST_DIR)/%,$(wildcard rootfs/guest/*.py))
GUEST_BUILT := $(addprefix $(GUEST_DIR)/,cell.so cell-init arenas.so selftest-probe mover)
GUEST       := $(GUEST_PY) $(GUEST_BUILT)
ARENAS      := $(call objects,cell,runtime/inside/arenas.c)
CELL_OBJECTS := $(filter-out $(ARENAS),$(call objects,cell,$(wildcard runtime/inside/*.c)))
PROBE_OBJECTS := $(call objects,cell,$(wildcard runtime/probe/*.c))
MOVER_OBJECTS := $(call objects,cell,$(wildcard runtime/mover/*.c))
CELL_CFLAGS = $(filter-out -fPIE -fstack-protector% -fsanitize% -fno-sanitize% --coverage,$(HARDEN)) \
	       -fPIC -fno-stack-protector -ffreestanding

# Not the first target below, which is a part of it.
.DEFAULT_GOAL := all

.PHONY: guest
guest: $(GUEST)

# Objects are kept, or every test would be compiled each time.
.SECONDARY:

.PHONY: all
all: deps $(PROGRAMS) $(GUEST) $(LIBRARY)

# --- the one file: everything static, and nothing that would load more --------

ONE          := $(B)/appliance
comma        := ,
ONE_OBJECTS  := $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/appliance/*.c))
ONE_GUEST    := $(patsubst $(GUEST_DIR)/%,$(ONE)/guest/%,$(GUEST))
ONE_CURL     := $(ONE)/libcurl/lib/.libs/libcurl.a
ONE_PARTS    := $(patsubst %,$(ONE)/%.o,agent image mcp repl serve)
# Each library comes before those that it needs.
ONE_LIBS     := -l:libarchive.a -l:libseccomp.a -l:libcap-ng.a -l:libcares.a -l:libgnutls.a \
		-l:libhogweed.a -l:libnettle.a -l:libgmp.a -l:libtasn1.a -l:libidn2.a -l:libunistring.a \
		-l:libedit.a -l:libtinfo.a -l:libbsd.a -l:libmd.a -l:libz.a -l:libbz2.a -l:liblzma.a -l:libzstd.a
ONE_LDFLAGS  := -static-pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,text \
		-Wl,--gc-sections,--build-id,--fatal-warnings \
		$(patsubst %,-Wl$(comma)--wrap=%,main setlocale gnutls_global_init iswalnum iswprint mbstowcs wctomb wcwidth)

.PHONY: appliance appliance-objects
appliance: $(ONE)/glovebox
	@tools/check-elf --debug $(ONE)/glovebox.debug --notes-of "$$($(CC) -print-file-name=rcrt1.o)" \
		--objects $(B)/obj/runtime --objects $(B)/obj/rootfs \
		--objects $(ONE)/cjson.o --objects $(ONE)/libcurl/lib --objects $(B)/obj/agent --lacks GLOVEBOX_OMIT --lacks confine_omitted $(ONE)/glovebox
appliance-objects: $(ONE_OBJECTS)

$(ONE)/glovebox: $(ONE)/glovebox.debug
	$(Q)$(OBJCOPY) --strip-all --add-gnu-debuglink=$< $< $@

$(ONE)/glovebox.debug: $(MAIN) $(ONE_OBJECTS) $(ONE_PARTS) $(ONE)/cjson.o $(CORE) $(ONE_CURL)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(ONE_LDFLAGS) $(LDFLAGS) -Wl,-Map=$(ONE)/glovebox.map -o $@ $^ $(ONE_LIBS)

# These programs are parts of it: of the names of each only main's is seen, and is another.
$(ONE)/image.o: $(IMAGE_OBJ)
$(ONE)/mcp.o: $(B)/obj/runtime/mcp/main.o
$(ONE)/serve.o: $(SERVE)
$(ONE)/agent.o: $(AGENT)
$(ONE)/repl.o: $(REPL)
$(ONE_PARTS):
	@mkdir -p $(@D)
	$(Q)$(LD) -r -o $@.tmp $^
	$(Q)$(OBJCOPY) --redefine-sym main=$(basename $(@F))_main --keep-global-symbol=$(basename $(@F))_main $@.tmp $@

$(ONE)/cjson/cJSON.c: | deps-appliance
	@echo "  get  $@"
	$(Q)tools/fetch-source cjson libcjson-dev $(ONE)

$(ONE)/cjson.o: $(ONE)/cjson/cJSON.c Makefile
	@echo "  cc   $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDEN) -c $< -o $@

$(ONE)/curl/configure: | deps-appliance
	@echo "  get  $@"
	$(Q)tools/fetch-source curl libcurl4-gnutls-dev $(ONE)

$(ONE_CURL): $(ONE)/curl/configure tools/build-curl
	@echo "  make $@"
	$(Q)CC="$(CC)" CPPFLAGS="$(GIVEN_CPPFLAGS) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3" LDFLAGS="$(LDFLAGS)" \
		CFLAGS="$(CFLAGS) $(HARDEN) -ffile-prefix-map=$(CURDIR)=." tools/build-curl $(ONE)/curl $(ONE)/libcurl

$(B)/obj/runtime/appliance/pkcs11.o: CPPFLAGS += -isystem /usr/include/p11-kit-1
$(B)/obj/runtime/appliance/guest.o: $(GEN)/guest_files.h

$(B)/obj/runtime/appliance/egress_shipped.o: $(GEN)/preset_files.h

$(GEN)/preset_files.h: $(wildcard policy/egress/*) tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $(filter policy/%,$^) > $@.tmp && mv $@.tmp $@

$(GEN)/guest_files.h: $(ONE_GUEST) tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $(ONE_GUEST) > $@.tmp && mv $@.tmp $@

$(ONE)/guest/%.py: $(GUEST_DIR)/%.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(ONE)/guest/%: $(GUEST_DIR)/%
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --strip-unneeded $< $@

# --- a release ------------------------------------------------------------------

# With IMAGE=1 the image python of this machine's store, too.
.PHONY: dist check-reproducible
dist: appliance $(if $(wildcard tools/package/deb*),deb)
	@tools/dist --build $(B) --version $(or $(VERSION),0.0.0) --machine $(firstword $(subst -, ,$(shell $(CC) -dumpmachine))) \
		$(if $(IMAGE),--image python)

# Two minutes on two CPUs of its own, for which it compiles all again.
check-reproducible: dist
	@tools/check-reproducible $(B)/dist

.PHONY: deps-appliance
deps-appliance:
	@tools/install-deps appliance

.PHONY: deps
deps:
	@tools/install-deps build

$(B)/bin/glovebox: $(MAIN) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/bin/glovebox-image: $(IMAGE_OBJ) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(IMAGE_LIBS)

$(B)/bin/glovebox-agent: $(AGENT) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(AGENT_LIBS)

$(B)/bin/glovebox-repl: $(REPL) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(REPL_LIBS)

$(B)/bin/glovebox-kernel: $(KERNEL) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(KERNEL_LIBS)

$(B)/bin/glovebox-serve: $(SERVE) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(SERVE_LIBS)

$(B)/bin/glovebox-mcp: $(call objects,obj,runtime/mcp/main.c) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/bin/glovebox-egress: $(EGRESS) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(EGRESS_LIBS)

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

# What `glovebox selftest` runs inside.
$(GUEST_DIR)/selftest-probe: $(PROBE_OBJECTS) $(call objects,cell,runtime/inside/builtins.c)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -static -nostdlib -Wl,-z,noexecstack,--gc-sections,-s -o $@ $^

# What moves files into a sandbox and out of it.
$(GUEST_DIR)/mover: $(MOVER_OBJECTS) $(call objects,cell,runtime/inside/builtins.c)
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

# What a program of somebody else's links: one object, whose other names are its own.
$(LIBRARY): $(call objects,obj,runtime/library/library.c) $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) -r -nostdlib -o $(@:.a=.o) $^
	$(Q)$$($(CC) -print-prog-name=objcopy) --wildcard --keep-global-symbol='glovebox_*' $(@:.a=.o)
	@rm -f $@
	$(Q)ar rcs $@ $(@:.a=.o)

$(B)/obj/runtime/inside/%.o: runtime/inside/%.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  cc   $@"
	$(Q)$(CC) $(CPPFLAGS) $(INSIDE_CFLAGS) -c -o $@ $<

$(B)/obj/%.o: %.c Makefile | deps
	@mkdir -p $(@D)
	@echo "  cc   $@"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# Tests are compiled once and run once.
ifeq ($(SAN)$(COVERAGE)$(VALGRIND),)
$(B)/obj/tests/%.o: private CFLAGS := -O1
endif

# The shipped system call filter is compiled once, here (policy/python.json > BPF).
$(B)/obj/runtime/seccomp/builtin_filter.o: $(GEN)/python_filter.h
$(B)/obj/runtime/warm/nursery_policy.o: $(GEN)/nursery_filter.h
$(B)/obj/runtime/egress/cage.o $(B)/obj/tests/unit/test_egress_filter.o: $(GEN)/egress_filter.h

$(GEN)/python_filter.h: policy/python.json $(GEN_BPF)
	@mkdir -p $(@D)
	@echo "  bpf  $@"
	$(Q)$(GEN_BPF) python_filter $< --guard > $@.tmp && mv $@.tmp $@

$(GEN)/%_filter.h: policy/%.json $(GEN_BPF)
	@mkdir -p $(@D)
	@echo "  bpf  $@"
	$(Q)$(GEN_BPF) $*_filter $< > $@.tmp && mv $@.tmp $@

# What the agent tells a model is text in files, and compiled in.
$(B)/obj/agent/tell/prompt.o: $(GEN)/prompts.h

$(GEN)/prompts.h: $(PROMPTS) tools/gen-prompts Makefile
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-prompts $(PROMPTS) > $@.tmp && mv $@.tmp $@

# What a script of a caller begins with.
$(B)/obj/runtime/service/script.o: $(GEN)/service_files.h

$(GEN)/service_files.h: rootfs/guest/execute.py tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $< > $@.tmp && mv $@.tmp $@

# What runs a program whose tools are its client's.
$(B)/obj/runtime/librechat/programmatic.o: $(GEN)/tool_calls_files.h

$(GEN)/tool_calls_files.h: runtime/librechat/tool_calls.py tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $< > $@.tmp && mv $@.tmp $@

# What runs a shell in a session.
$(B)/obj/runtime/service/notebook_call.o: $(GEN)/notebook_files.h

$(GEN)/notebook_files.h: runtime/service/bash.py tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $< > $@.tmp && mv $@.tmp $@

# What a server shows to people.
PAGE := $(sort $(wildcard runtime/serve/page/*))
$(B)/obj/runtime/serve/page.o: $(GEN)/page_files.h

$(GEN)/page_files.h: $(PAGE) tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $(PAGE) > $@.tmp && mv $@.tmp $@

# What clients of MCP are told of the tools.
$(B)/obj/runtime/mcp/mcp_tools.o: $(GEN)/mcp_tools_file.h

$(GEN)/mcp_tools_file.h: runtime/mcp/tools.json tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $< > $@.tmp && mv $@.tmp $@

GEN_BPF_OBJECTS := $(patsubst %.c,$(PLAIN)/obj/%.o,tools/gen-bpf.c runtime/seccomp/seccomp_profile.c \
		   runtime/seccomp/filter_guard.c runtime/seccomp/syscall_filter.c $(wildcard runtime/base/*.c))
$(GEN_BPF): $(GEN_BPF_OBJECTS)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

# The ceiling of who keeps a server without one of his own.
$(B)/obj/runtime/tenant/ceiling.o: $(GEN)/ceiling_file.h

$(GEN)/ceiling_file.h: policy/ceiling.json tools/gen-files
	@mkdir -p $(@D)
	@echo "  text $@"
	$(Q)tools/gen-files $< > $@.tmp && mv $@.tmp $@

# Unit tests see everything but the mains.
$(B)/libagent.a: $(filter-out %/main.o,$(AGENT))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/libimage.a: $(filter-out %/main.o,$(IMAGE_OBJ))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/libserve.a: $(filter-out %/main.o,$(SERVE))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/libegress.a: $(filter-out %/main.o,$(EGRESS))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/libkernel.a: $(filter-out %/main.o,$(KERNEL))
	@rm -f $@
	$(Q)ar rcs $@ $^

TESTS_LIBS := $(EGRESS_LIBS) $(AGENT_LIBS) -larchive -lgnutls

$(B)/unit/%: $(B)/obj/tests/unit/%.o $(B)/obj/tests/unit/only.o $(NATIVE_CALLS) $(B)/libagent.a $(B)/libimage.a $(B)/libserve.a $(B)/libegress.a $(B)/libkernel.a $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(TESTS_LIBS) -lcmocka

# Like mover itself it runs where no library is, and that of a sanitizer neither.
$(B)/obj/tests/unit/mover_probe.o: HARDEN := $(filter-out -fsanitize% -fno-sanitize% --coverage,$(HARDEN))
$(B)/unit/mover_probe: $(B)/obj/tests/unit/mover_probe.o
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDFLAGS) -static -o $@ $^

# What says the version is compiled anew with each.
$(patsubst %.c,$(B)/obj/%.o,$(shell grep -rlw --include='*.c' GLOVEBOX_VERSION runtime agent rootfs)): CHANGELOG.md

-include $(shell find $(B)/obj $(B)/cell -name '*.d' 2>/dev/null)

# --- for people -----------------------------------------------------------

.PHONY: help
help:
	@echo "make              build the programs into $(B)/bin"
	@echo "make demo         a real analysis in the sandbox, with its cost"
	@echo "make check        every test that this machine can run; CHECK='unit warm': of these suites"
	@echo "make times        the same, and note in tests/times what each class takes"
	@echo "make gate         what each delivery runs: sources, build, all suites, and as an ordinary user"
	@echo "make nightly      every leg of .ci/legs that is not green at this commit; STEP='vm asan': these"
	@echo "make quick        a sample of them: two minutes of CPU time, when all is compiled"
	@echo "make check-vm     what depends on the kernel, in a cgroup v2 one under QEMU"
	@echo "make check-vm-all every test there, in half an hour"
	@echo "make check-kernels the same with other kernels of Debian's; writes docs/kernels.md"
	@echo "make check-live   the agent with the Ollama at OLLAMA_HOST, and a model that it has; a package of PyPI"
	@echo "make check-clients clients that others wrote, of MCP, serve and HTTP, from registries of packages"
	@echo "make check-systemd an ordinary user's way in, below a systemd there"
	@echo "make check-first-hour the README, as an ordinary user follows it in a fresh Debian 13 and 12"
	@echo "make check-reproducible the tarball of make dist gives the same bytes elsewhere"
	@echo "make bench        speed and size against the floor and the peers"
	@echo "make soak         50,000 requests of a server beside a hostile tenant, kills, 20,000 runs from warm cells, 5,000 lives of sandboxes that stay, and what they leave behind"
	@echo "make chaos        ten minutes of clients that keep to nothing, on every route of a server, and what they leave behind"
	@echo "make asan         the tests under AddressSanitizer and UBSan"
	@echo "make valgrind     the unit programs, and hundreds of runs driven by one process, under memcheck"
	@echo "make gate-0       what needs no compiler: clang-format, layers, words, shell, tables"
	@echo "make tidy         clang-tidy, cppcheck, shell scripts, man pages"
	@echo "make format       clang-format in place"
	@echo "make policy-table the tables of policy/README.md, from those of the attacks"
	@echo "make messages     tests/messages.txt, every text that a user can meet, from the sources"
	@echo "make docker-table the tables of docs/docker.md, from those of the test"
	@echo "make engine-table the tables of docs/engine.md, from those of the test"
	@echo "make clients-table the table of docs/clients.md, from tests of those clients"
	@echo "make coverage     line coverage of the tests"
	@echo "make cross        compile everything for arm64"
	@echo "make appliance    all of it as one static file, in $(B)/appliance"
	@echo "make appliance-arm64 the same for arm64, in $(B)/appliance-arm64"
	@echo "make deb          Debian packages, in $(B)/deb"
	@echo "make check-packages lintian; installed, upgraded, purged in a fresh Debian 12 and 13; RPM's and Arch's"
	@echo "make install      DESTDIR= PREFIX=$(PREFIX); DOCKER=1: with the name docker; APPARMOR=1: with its profile"
	@echo "make uninstall    what that installed, with the same variables"
	@echo "make dist         a release: sources, the one file, SBOM, SHA256SUMS; IMAGE=1: and the image python"
	@echo "make clean        remove $(B)"
	@echo "As root, tools/install-deps all installs the Debian packages that any of these wants."

.PHONY: demo
demo: all
	@tools/demo $(B)/bin/glovebox
	@tools/demo-agent $(B)/bin/glovebox

TESTING_BIN := $(B)/testing/bin/glovebox
.PHONY: testing
testing: all
	@$(MAKE) --no-print-directory B=$(B)/testing TESTING=1 $(if $(SAN)$(COVERAGE),,CFLAGS=-O1) $(TESTING_BIN) \
		$(addprefix $(B)/testing/bin/,glovebox-image glovebox-repl glovebox-kernel glovebox-serve glovebox-egress) guest

.PHONY: check
# Packages that are missing are named before anything is compiled.
check: check-deps all testing unit fuzz
	@tools/check-layers
	@tests/run --build $(B) $(CHECK)

# What each class takes, for the order in which they begin (tests/runner/schedule.py).
.PHONY: times
times: check-deps all testing unit
	@tests/run --build $(B) --note-times $(CHECK)

.PHONY: check-live
check-live: all
	@GLOVEBOX_LIVE=1 tests/run --build $(B) -k test_live agent
	@GLOVEBOX_LIVE=1 tests/run --build $(B) integration/test_egress_programs.py::Live

# What a registry of Python's packages has goes below $(B) alone; where there is none, they are skipped.
.PHONY: check-clients
check-clients: all
	@tools/fetch-clients $(B)/clients
	@GLOVEBOX_CLIENTS=$(CURDIR)/$(B)/clients tests/run --build $(B) clients

# Half a minute, before anything is compiled: each target reports, whatever the others find.
GATE_0 := gate-0-format gate-0-layers gate-0-words gate-0-shell gate-0-tables
.PHONY: gate-0 $(GATE_0)
gate-0:
	@tools/install-deps lint
	@$(MAKE) --no-print-directory -k -j$(shell nproc) -Otarget $(GATE_0)
gate-0-format:
	@tools/lint $(B) --format
gate-0-layers:
	@tools/check-layers
gate-0-words:
	@tools/check-words
gate-0-shell:
	@tools/lint $(B) --shell
gate-0-tables:
	@python3 tests/attack/policy_table.py --check
	@python3 tests/integration/docker_table.py --check
	@python3 tests/integration/engine_table.py --check
	@python3 tests/clients/clients_table.py --check
	@python3 tests/vm/kernels table --check
	@tools/legs table --check
	@tools/messages --check

# What a delivery runs (.ci/run, .ci/legs), but for what its paths ask for; and all of it, resumed where it was.
.PHONY: gate nightly legs-table
gate:
	@tools/legs gate
nightly:
	@CI=true tools/legs nightly $(STEP)
legs-table:
	@tools/legs table

.PHONY: quick
quick: check-deps all testing unit
	@tools/check-layers
	@tests/run --build $(B) --quick

.PHONY: unit
unit: check-deps $(UNIT)
$(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/unit/*.c)): | check-deps

# Parsers under mutated seeds; the same harnesses work with clang's -fsanitize=fuzzer.
FUZZ_FLAGS ?= -n 2000
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/driver.o $(B)/libagent.a $(B)/libimage.a $(B)/libserve.a $(B)/libegress.a $(B)/libkernel.a $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(TESTS_LIBS)

# What no library of ours has: the parsers of a program that stands alone.
$(B)/fuzz/fuzz_mover: $(call objects,obj,$(patsubst %,runtime/mover/%.c,tar_read pax_read tar_write path))

.PHONY: fuzz
fuzz: $(FUZZ)
	@for f in $(FUZZ); do (cd $(B)/fuzz && ./$${f##*/} $(FUZZ_FLAGS) \
		$(CURDIR)/tests/fuzz/seeds/$${f##*/fuzz_} </dev/null) || exit 1; done

# 50,000 mutations of each, other ones each time, under the sanitizers.
.PHONY: fuzz-long
fuzz-long:
	@$(MAKE) --no-print-directory B=$(B)/asan SAN=1 CFLAGS="-O1 -g" FUZZ_FLAGS="-n 50000 -r $(shell date +%s)" fuzz

.PHONY: check-deps
check-deps:
	@tools/install-deps check

# On two CPUs of their own they take 10 and 30 minutes, and check-systemd 4 (8 when others work there, too).
.PHONY: check-vm check-vm-sample check-vm-all check-systemd
check-vm: all testing appliance
	@tools/install-deps vm
	@tests/vm/initramfs
	@tests/vm/run --timeout 3600 -- tests/run --build $(B) --timeout 600 --kernel integration attack warm

check-systemd: all build/root/apparmor
	@tools/install-deps vm
	@tests/vm/run -- tests/vm/systemd
	@tests/vm/run -- tests/vm/systemd v1

# A parser that is new enough, unpacked and never installed: 19 MB.
build/root/apparmor:
	@tools/install-deps image
	@mkdir -p $(@D) && rm -rf $@.new
	@mmdebstrap --quiet --variant=extract --include=apparmor trixie $@.new $(GLOVEBOX_MIRROR)
	@for d in bin lib lib64 sbin; do [ -e $@.new/$$d ] || ln -s usr/$$d $@.new/$$d; done
	@mv $@.new $@

# In a delivery: the limits, and what only such a kernel shows.
check-vm-sample: all testing appliance
	@tools/install-deps vm
	@tests/vm/initramfs
	@tests/vm/run --timeout 900 -- tests/run --build $(B) --timeout 600 --kernel integration/test_limits.py integration/test_staying_life.py attack/test_scripts.py

check-vm-all: all testing
	@tools/install-deps vm
	@tests/vm/run --timeout 5400 -- tests/run --build $(B) --timeout 600 integration attack

# Half an hour: what depends on the kernel, on others of Debian's than check-vm takes; and docs/kernels.md.
.PHONY: check-kernels
check-kernels: all testing
	@tools/install-deps vm
	@tests/vm/kernels run
	@for suite in trixie sid; do tests/vm/run --kernel-from $$suite --timeout 3600 -- \
		tests/run --build $(B) --timeout 600 --kernel integration attack warm || exit 1; done

# Five minutes each, on two CPUs of their own; as root.
.PHONY: check-first-hour
check-first-hour:
	@tests/root/run trixie tests/root/walk
	@tests/root/run bookworm tests/root/walk

BENCH := $(addprefix $(B)/tools/,bench-warm bench-http)
$(BENCH): $(B)/tools/%: $(B)/obj/tools/%.o $(CORE)
	@mkdir -p $(@D)
	@echo "  link $@"
	$(Q)$(CC) $(LDHARDEN) $(LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: soak
soak: all
	@tools/soak-serve --requests 50000 --kills 30 --clients 4 --glovebox $(B)/bin/glovebox
	@$(B)/bin/glovebox image inspect python >/dev/null 2>&1 || $(B)/bin/glovebox image build python
	@tools/soak --runs 20000 --clients 4 --image python --glovebox $(B)/bin/glovebox
	@tools/soak-stay --lives 5000 --clients 4 --glovebox $(B)/bin/glovebox
	@tools/soak-kills --kills 300 --glovebox $(B)/bin/glovebox
	@GLOVEBOX_KILL_STEP=1 tests/run --build $(B) --timeout 900 attack/test_kills.py -k Each

.PHONY: chaos
chaos: all
	@tools/chaos-serve --seconds 600 --glovebox $(B)/bin/glovebox

.PHONY: bench bench-programs
bench-programs: $(BENCH)
bench: all $(BENCH)
	@tools/bench --glovebox $(B)/bin/glovebox

# Ten minutes on two CPUs. Not warm: its supervisor is starved of memory there, which AddressSanitizer does not survive.
.PHONY: asan
asan:
	@$(MAKE) --no-print-directory B=$(B)/asan SAN=1 CFLAGS="-O1 -g" all testing unit fuzz
	@GLOVEBOX=$(CURDIR)/$(B)/asan/bin/glovebox tests/run --build $(B)/asan --timeout 300 unit integration agent serve mcp

# Seven minutes on two CPUs that others use as well, two of which compile it all.
.PHONY: valgrind
valgrind:
	@tools/install-deps valgrind
	@tests/memcheck $(B)/valgrind

.PHONY: tidy
tidy: all $(GEN)/guest_files.h $(GEN)/preset_files.h
	@tools/install-deps lint
	@tools/lint $(B)

.PHONY: policy-table
policy-table:
	@python3 tests/attack/policy_table.py

.PHONY: messages
messages:
	@tools/messages

.PHONY: docker-table
docker-table:
	@python3 tests/integration/docker_table.py

.PHONY: engine-table
engine-table:
	@python3 tests/integration/engine_table.py

.PHONY: clients-table
clients-table:
	@python3 tests/clients/clients_table.py

.PHONY: format
format:
	clang-format -i $(shell git ls-files '*.c' '*.h')

.PHONY: coverage
coverage:
	@$(MAKE) --no-print-directory B=$(B)/coverage COVERAGE=1 CFLAGS="-O0 -g" all unit
	@tests/run --build $(B)/coverage unit integration
	@tools/coverage $(B)/coverage

.PHONY: cross appliance-arm64
cross:
	@tools/install-deps cross
	@tools/cross-compile $(B)/arm64

# The one file for another machine; its libraries are unpacked below $(B), not installed.
appliance-arm64: deps-appliance
	@tools/install-deps cross
	@tools/cross-compile $(B)/arm64 appliance
	@mkdir -p $(B)/appliance-arm64
	@cp $(B)/arm64/appliance/glovebox $(B)/arm64/appliance/glovebox.debug $(B)/appliance-arm64

DOCKER_LINK = $(DESTDIR)$(PREFIX)/bin/docker
DOC         = $(PREFIX)/share/doc/glovebox
# Distributions have other places for it.
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions
UNITS        = $(DESTDIR)$(PREFIX)/lib/systemd
SERVE_UNITS  = $(wildcard tools/package/systemd/glovebox-serve@.*)
SYSTEM_UNITS = $(filter-out $(SERVE_UNITS),$(wildcard tools/package/systemd/*.*))
USER_UNITS   = $(wildcard tools/package/systemd/user/*.*)

# What a package of its own may hold is a target of its own: the runtime links no network library.
.PHONY: install install-runtime install-agent install-kernel install-serve install-library
install: install-runtime install-agent install-kernel install-serve
install-runtime: all
	@if [ "$(DOCKER)" ] && [ -e $(DOCKER_LINK) ] && [ "$$(readlink $(DOCKER_LINK))" != glovebox ]; then \
		echo "$(DOCKER_LINK) is another program: remove it, or choose a PREFIX"; exit 1; fi
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(ZSH_FUNCTIONS) \
		$(DESTDIR)$(PREFIX)/share/glovebox
	install -m 755 $(B)/bin/glovebox $(B)/bin/glovebox-image $(B)/bin/glovebox-repl $(B)/bin/glovebox-mcp \
		$(B)/bin/glovebox-egress \
		$(DESTDIR)$(PREFIX)/bin/
	$(if $(DOCKER),ln -sf glovebox $(DOCKER_LINK))
	cp -rL rootfs/recipes rootfs/hooks policy/python.json policy/egress $(DESTDIR)$(PREFIX)/share/glovebox/
	chmod -R u=rwX,go=rX $(DESTDIR)$(PREFIX)/share/glovebox
	install -d $(DESTDIR)$(PREFIX)/lib/glovebox/guest $(UNITS)/system $(UNITS)/user \
		$(DESTDIR)$(PREFIX)/lib/tmpfiles.d
	install -m 755 $(GUEST_BUILT) $(DESTDIR)$(PREFIX)/lib/glovebox/guest/
	install -m 644 $(GUEST_PY) $(DESTDIR)$(PREFIX)/lib/glovebox/guest/
	umask 022; for unit in $(notdir $(SYSTEM_UNITS)); do \
		sed 's#@PREFIX@#$(PREFIX)#' tools/package/systemd/$$unit > $(UNITS)/system/$$unit; done
	umask 022; for unit in $(notdir $(USER_UNITS)); do \
		sed 's#@PREFIX@#$(PREFIX)#' tools/package/systemd/user/$$unit > $(UNITS)/user/$$unit; done
	umask 022; sed 's#@PREFIX@#$(PREFIX)#' tools/package/apparmor/glovebox \
		> $(DESTDIR)$(PREFIX)/share/glovebox/apparmor.profile
	$(if $(APPARMOR),install -D -m 644 $(DESTDIR)$(PREFIX)/share/glovebox/apparmor.profile \
		$(DESTDIR)/etc/apparmor.d/glovebox)
	install -m 644 tools/package/tmpfiles.d/glovebox.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/
	umask 022; $(B)/bin/glovebox generate man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox.1
	umask 022; $(B)/bin/glovebox-image generate man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-image.1
	ln -sf glovebox.1 $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-repl.1
	ln -sf glovebox.1 $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-mcp.1
	ln -sf glovebox.1 $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-egress.1
	umask 022; $(B)/bin/glovebox generate bash-completion \
		> $(DESTDIR)$(PREFIX)/share/bash-completion/completions/glovebox
	umask 022; $(B)/bin/glovebox generate zsh-completion > $(DESTDIR)$(ZSH_FUNCTIONS)/_glovebox
	install -d $(DESTDIR)$(DOC)/docs $(DESTDIR)$(DOC)/policy
	install -m 644 README.md ARCHITECTURE.md SECURITY.md $(DESTDIR)$(DOC)/
	install -m 644 docs/*.md $(DESTDIR)$(DOC)/docs/
	install -m 644 policy/README.md $(DESTDIR)$(DOC)/policy/

install-agent: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(B)/bin/glovebox-agent $(DESTDIR)$(PREFIX)/bin/
	umask 022; $(B)/bin/glovebox-agent generate man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-agent.1

install-kernel: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(B)/bin/glovebox-kernel $(DESTDIR)$(PREFIX)/bin/
	umask 022; echo '.so man1/glovebox.1' > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-kernel.1

install-serve: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(UNITS)/system \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
	install -m 755 $(B)/bin/glovebox-serve $(DESTDIR)$(PREFIX)/bin/
	install -m 644 tools/package/sysusers.d/glovebox-serve.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/
	install -m 644 tools/package/tmpfiles.d/glovebox-serve.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/
	umask 022; $(B)/bin/glovebox-serve generate man > $(DESTDIR)$(PREFIX)/share/man/man1/glovebox-serve.1
	umask 022; for unit in $(notdir $(SERVE_UNITS)); do \
		sed 's#@PREFIX@#$(PREFIX)#' tools/package/systemd/$$unit > $(UNITS)/system/$$unit; done

install-library: all
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 runtime/library/libglovebox.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(LIBRARY) $(DESTDIR)$(PREFIX)/lib/
	umask 022; sed 's#@PREFIX@#$(PREFIX)#; s#@VERSION@#$(or $(VERSION),0.0.0)#' tools/package/libglovebox.pc \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/libglovebox.pc

# By Debian's tools; what must be there for them to build is the set "deb" of tools/install-deps.
.PHONY: deb
deb: all
	@tools/install-deps deb
	@echo "  deb  $(B)/deb"
	$(Q)tools/package/build-deb $(B)/deb $(B)

# As root. Six minutes on two CPUs of their own, half of which a Debian 13 takes to build its own.
SUITES ?= bookworm trixie
.PHONY: check-packages
check-packages: deb
	@tools/install-deps package
	@lintian --allow-root --fail-on error,warning,info --display-info $(B)/deb/*.changes
	@tools/package/check-others $(B)/package
	@tests/root/packages $(SUITES)

# A docker that is none of ours stays, and so do images.
.PHONY: uninstall
uninstall:
	if [ "$$(readlink $(DOCKER_LINK))" = glovebox ]; then rm $(DOCKER_LINK); fi
	if grep -qs '^profile glovebox $(PREFIX)/' $(DESTDIR)/etc/apparmor.d/glovebox; then \
		rm $(DESTDIR)/etc/apparmor.d/glovebox; fi
	cd $(DESTDIR)$(PREFIX) && rm -rf bin/glovebox bin/glovebox-image bin/glovebox-agent bin/glovebox-repl \
		bin/glovebox-serve share/glovebox \
		lib/glovebox $(patsubst tools/package/systemd/%,lib/systemd/system/%,$(SYSTEM_UNITS) $(SERVE_UNITS)) \
		$(patsubst tools/package/systemd/%,lib/systemd/%,$(USER_UNITS)) \
		include/libglovebox.h lib/libglovebox.a lib/pkgconfig/libglovebox.pc \
		lib/tmpfiles.d/glovebox.conf lib/tmpfiles.d/glovebox-serve.conf lib/sysusers.d/glovebox-serve.conf \
		$(addprefix share/man/man1/,glovebox.1 glovebox-image.1 glovebox-agent.1 glovebox-repl.1 glovebox-serve.1) \
		share/bash-completion/completions/glovebox
	rm -rf $(DESTDIR)$(ZSH_FUNCTIONS)/_glovebox $(DESTDIR)$(DOC)
	cd $(DESTDIR)$(PREFIX) && rm -f bin/glovebox-mcp bin/glovebox-egress bin/glovebox-kernel \
		$(addprefix share/man/man1/,glovebox-mcp.1 glovebox-egress.1 glovebox-kernel.1)

.PHONY: clean
clean:
	rm -rf $(B)
