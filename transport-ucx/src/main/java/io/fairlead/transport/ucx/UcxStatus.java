package io.fairlead.transport.ucx;

/** Texts for the UCX statuses that an operator may see. */
final class UcxStatus {
    private UcxStatus() {}

    static String text(byte status) {
        String name = switch (status) {
            case -3 -> "input/output error";
            case -4 -> "out of memory";
            case -5 -> "invalid parameter";
            case -6 -> "unreachable";
            case Ucp.CANCELED -> "cancelled";
            case -17 -> "the peer's shared memory is gone";
            case -20 -> "timed out";
            case -25 -> "connection reset by the peer";
            case -80 -> "endpoint timed out";
            default -> "status";
        };
        return name + " (" + status + ")";
    }
}
