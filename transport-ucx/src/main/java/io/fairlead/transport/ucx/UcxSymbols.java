package io.fairlead.transport.ucx;

import java.util.List;

/** The functions of UCX that the transport calls itself or through JUCX, and functions that only JUCX binds. */
final class UcxSymbols {
    /** Called between opening and closing a context. */
    static final List<String> NEEDED = List.of(
            "ucp_cleanup",
            "ucp_config_modify",
            "ucp_config_read",
            "ucp_config_release",
            "ucp_context_query",
            "ucp_ep_close_nbx",
            "ucp_ep_create",
            "ucp_ep_flush_nbx",
            "ucp_ep_rkey_unpack",
            "ucp_get_nbx",
            "ucp_get_version",
            "ucp_init_version",
            "ucp_mem_map",
            "ucp_mem_query",
            "ucp_mem_unmap",
            "ucp_put_nbx",
            "ucp_request_cancel",
            "ucp_request_free",
            "ucp_rkey_buffer_release",
            "ucp_rkey_destroy",
            "ucp_rkey_pack",
            "ucp_rkey_ptr",
            "ucp_tag_msg_recv_nbx",
            "ucp_tag_probe_nb",
            "ucp_tag_recv_nbx",
            "ucp_tag_recv_request_test",
            "ucp_tag_send_nbx",
            "ucp_tag_send_sync_nbx",
            "ucp_worker_arm",
            "ucp_worker_create",
            "ucp_worker_destroy",
            "ucp_worker_fence",
            "ucp_worker_get_address",
            "ucp_worker_get_efd",
            "ucp_worker_progress",
            "ucp_worker_query",
            "ucp_worker_release_address",
            "ucp_worker_signal",
            "ucs_debug_disable_signals",
            "ucs_fatal_error_format",
            "ucs_free",
            "ucs_global_opts",
            "ucs_global_opts_set_value",
            "ucs_log_dispatch",
            "ucs_malloc",
            "ucs_status_string");

    /** Bound by JUCX on first use; Fairlead does not need them, or only if UCX has them. */
    static final List<String> OPTIONAL = List.of(
            "ucp_am_data_release",
            "ucp_am_recv_data_nbx",
            "ucp_am_send_nbx",
            "ucp_conn_request_query",
            "ucp_ep_destroy",
            "ucp_ep_query",
            "ucp_get_nbi",
            "ucp_listener_create",
            "ucp_listener_destroy",
            "ucp_listener_query",
            "ucp_listener_reject",
            "ucp_memh_buffer_release",
            "ucp_memh_pack",
            "ucp_put_nbi",
            "ucp_request_check_status",
            "ucp_stream_recv_nbx",
            "ucp_stream_send_nbx",
            "ucp_worker_flush_nbx",
            "ucp_worker_set_am_recv_handler",
            "ucp_worker_wait");

    private UcxSymbols() {}
}
