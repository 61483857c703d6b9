package io.fairlead.node;

/** How a request has ended. Peers exchange the names' order, so that constants are only ever added at the end. */
public enum RequestStatus {
    /** The handler has replied. */
    OK,
    /** The caller has cancelled the request, or given its future another end. */
    CANCELLED,
    /** The deadline has passed before the reply was here. */
    DEADLINE_EXCEEDED,
    /** A handler's word for something that it does not have. No service with the request's tag is {@link #UNIMPLEMENTED}. */
    NOT_FOUND,
    /** A limit is reached: of requests in flight, of a service's running and waiting requests, or of a message's length. */
    RESOURCE_EXHAUSTED,
    /** A handler's word for a request that it does not understand. */
    INVALID_ARGUMENT,
    /** A handler's word for a request that its caller may not make. */
    PERMISSION_DENIED,
    /** The peer is a node that knows no requests, or no node. */
    UNSUPPORTED,
    /** There is no connection, it was lost, or either side leaves or closes. */
    UNAVAILABLE,
    /** The handler has thrown, or failed the request with this status. */
    FAILED,
    /** The peer serves no requests with this tag; another may. */
    UNIMPLEMENTED
}
