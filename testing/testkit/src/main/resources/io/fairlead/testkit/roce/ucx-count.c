/*
 * Measures the processor time of single operations of 8 bytes between two workers of one thread, as RoceCount does, by UCX's own calls alone.
 * Both do the same and print the same lines, so that the difference is what Fairlead adds.
 *
 * usage: ucx-count WARM-UP OPERATIONS ROUNDS, with the lanes and the device in UCX_TLS and UCX_NET_DEVICES
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucp/api/ucp.h>

#define LENGTH 8
#define TAG 1
#define REGION_LENGTH 4096

static ucp_worker_h here, there;
static ucp_ep_h endpoint;
static ucp_rkey_h key;
/* The other side's memory, and this side's. */
static volatile uint64_t *target;
static uint64_t local;
/* The number of operations that have ended. */
static uint64_t ended;

static void check(ucs_status_t status, const char *call)
{
    if (status != UCS_OK) {
        fprintf(stderr, "ucx-count: %s: %s\n", call, ucs_status_string(status));
        exit(1);
    }
}

static void peer_failed(void *argument, ucp_ep_h failed, ucs_status_t status)
{
    (void)argument;
    (void)failed;
    check(status, "an endpoint failed");
}

static void done(void *request, ucs_status_t status, void *data)
{
    (void)data;
    check(status, "an operation");
    ended++;
    ucp_request_free(request);
}

static void received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *data)
{
    (void)info;
    done(request, status, data);
}

/* Counts an operation that has ended inside its call: UCX does not call back then. */
static void posted(ucs_status_ptr_t answer, const char *call)
{
    if (answer == NULL) {
        ended++;
    } else if (UCS_PTR_IS_ERR(answer)) {
        check(UCS_PTR_STATUS(answer), call);
    }
}

static const ucp_request_param_t sending = {
    .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
    .cb.send = done,
};

static const ucp_request_param_t receiving = {
    .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
    .cb.recv = received,
};

/* With Fairlead's features and settings. */
static ucp_context_h open_context(void)
{
    const ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES,
        .features = UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP,
    };
    ucp_config_t *config;
    ucp_context_h context;

    check(ucp_config_read(NULL, NULL, &config), "ucp_config_read");
    check(ucp_config_modify(config, "ADAPTIVE_PROGRESS", "n"), "ADAPTIVE_PROGRESS");
    check(ucp_init(&params, config, &context), "ucp_init");
    ucp_config_release(config);
    return context;
}

static ucp_worker_h open_worker(ucp_context_h context)
{
    const ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SINGLE,
    };
    ucp_worker_h worker;

    check(ucp_worker_create(context, &params, &worker), "ucp_worker_create");
    return worker;
}

/* With peer error handling, as Fairlead's endpoints. */
static ucp_ep_h connect_worker(ucp_worker_h from, ucp_worker_h to)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler.cb = peer_failed,
    };
    ucp_address_t *address;
    size_t length;
    ucp_ep_h made;

    check(ucp_worker_get_address(to, &address, &length), "ucp_worker_get_address");
    params.address = address;
    check(ucp_ep_create(from, &params, &made), "ucp_ep_create");
    ucp_worker_release_address(to, address);
    return made;
}

/* Sets the target's memory and this side's key of it. */
static ucp_mem_h open_region(ucp_context_h context)
{
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = REGION_LENGTH,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    ucp_mem_attr_t region = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucp_mem_h memory;
    void *packed;
    size_t length;

    check(ucp_mem_map(context, &params, &memory), "ucp_mem_map");
    check(ucp_mem_query(memory, &region), "ucp_mem_query");
    target = region.address;
    check(ucp_rkey_pack(context, memory, &packed, &length), "ucp_rkey_pack");
    check(ucp_ep_rkey_unpack(endpoint, packed, &key), "ucp_ep_rkey_unpack");
    ucp_rkey_buffer_release(packed);
    return memory;
}

static void progress_until(uint64_t count)
{
    while (ended != count) {
        ucp_worker_progress(here);
    }
}

static void put(uint64_t number)
{
    local = number;
    posted(ucp_put_nbx(endpoint, &local, LENGTH, (uintptr_t)target, key, &sending), "ucp_put_nbx");
    while (*target != number) {
        ucp_worker_progress(here);
    }
}

static void put_and_flush(uint64_t number)
{
    uint64_t before = ended;

    local = number;
    posted(ucp_put_nbx(endpoint, &local, LENGTH, (uintptr_t)target, key, &sending), "ucp_put_nbx");
    posted(ucp_ep_flush_nbx(endpoint, &sending), "ucp_ep_flush_nbx");
    progress_until(before + 2);
}

static void get(uint64_t number)
{
    uint64_t before = ended;

    (void)number;
    posted(ucp_get_nbx(endpoint, &local, LENGTH, (uintptr_t)target, key, &sending), "ucp_get_nbx");
    progress_until(before + 1);
}

static void send_and_receive(uint64_t number)
{
    uint64_t before = ended;

    (void)number;
    posted(ucp_tag_recv_nbx(there, (void *)target, LENGTH, TAG, UINT64_MAX, &receiving), "ucp_tag_recv_nbx");
    posted(ucp_tag_send_nbx(endpoint, &local, LENGTH, TAG, &sending), "ucp_tag_send_nbx");
    while (ended != before + 2) {
        ucp_worker_progress(here);
        ucp_worker_progress(there);
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The first operation of the warm-up connects. */
static void report(const char *name, void (*run)(uint64_t), int warm_up, int operations, int rounds)
{
    uint64_t number = 0;

    for (int i = 0; i < warm_up; i++) {
        run(++number);
    }
    for (int round = 0; round < rounds; round++) {
        uint64_t began = now_ns();
        for (int i = 0; i < operations; i++) {
            run(++number);
        }
        printf("count: %s: %" PRIu64 " ns\n", name, (now_ns() - began) / (uint64_t)operations);
    }
    fflush(stdout);
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: ucx-count WARM-UP OPERATIONS ROUNDS\n");
        return 2;
    }
    int warm_up = atoi(arguments[1]), operations = atoi(arguments[2]), rounds = atoi(arguments[3]);
    ucp_context_h context = open_context();

    here = open_worker(context);
    there = open_worker(context);
    endpoint = connect_worker(here, there);
    ucp_mem_h region = open_region(context);
    ucp_ep_print_info(endpoint, stdout);
    report("put", put, warm_up, operations, rounds);
    report("put and flush", put_and_flush, warm_up, operations, rounds);
    report("get", get, warm_up, operations, rounds);
    report("send and receive", send_and_receive, warm_up, operations, rounds);
    ucp_rkey_destroy(key);
    ucp_mem_unmap(context, region);
    return 0;
}
