package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The failures of a set's operations, in addition to the failures of a peer's operations.
 *
 * @param name the service
 */
record SetFailures(ServiceName name) {
    /**
     * The reason why no member takes an operation.
     *
     * @param reason what a caller can do
     * @param status as an operation of a peer would have it
     * @param numbers what was found
     * @param remedy what to do
     */
    record Shortage(Reason reason, Status status, String numbers, String remedy) {}

    FairleadException closed() {
        return new FairleadException(
                Reason.CLOSED, Status.CLOSED, "set of peers is closed: service=" + name + "; ask the node for another");
    }

    FairleadException disconnected(Member member) {
        return new FairleadException(
                Reason.CLOSED,
                Status.CLOSED,
                "member has closed its connection: service=" + name + ", member=" + member);
    }

    /** The failure of an operation that may have been delivered. */
    FairleadException lost(String what, Member member, FairleadException cause) {
        return new FairleadException(
                Reason.PEER_LOST,
                Status.PEER_FAILED,
                what + " failed: status=PEER_FAILED, service=" + name + ", member=" + member + ", cause: "
                        + cause.getMessage()
                        + "; it may have been delivered, so that it was not sent to another member");
    }

    FairleadException of(String what, Shortage shortage) {
        return new FairleadException(
                shortage.reason(),
                shortage.status(),
                what + " failed: status=" + shortage.status() + ", service=" + name + ", " + shortage.numbers() + "; "
                        + shortage.remedy());
    }

    /**
     * The reason why no member takes an operation.
     *
     * @param members the members of the resolver's last answer
     * @param connected how many of them could be given operations
     * @param unknown why the resolver has no answer
     * @param full whether the connected members have no capacity
     */
    static Shortage shortage(List<Member> members, int connected, @Nullable FairleadException unknown, boolean full) {
        String suffix = unknown == null ? "" : ", and who they are is not known: " + unknown.getMessage();
        if (members.isEmpty()) {
            return new Shortage(
                    Reason.NOT_CONNECTED,
                    Status.NOT_CONNECTED,
                    "members=0",
                    "start a member, and register it under this name" + suffix);
        }
        if (full) {
            return new Shortage(
                    Reason.LIMIT_REACHED,
                    Status.BACK_PRESSURE,
                    "members=" + members.size(),
                    "none has room: wait for earlier operations and call again");
        }
        return new Shortage(
                Reason.NOT_CONNECTED,
                Status.NOT_CONNECTED,
                "members=" + members.size() + ", connected=" + connected + ", first=" + members.getFirst(),
                "see that the members listen there; the log has why each is not connected" + suffix);
    }

    static Shortage tooManyWait(int max) {
        return new Shortage(
                Reason.LIMIT_REACHED,
                Status.BACK_PRESSURE,
                "waiting=" + max,
                "no member takes operations: wait for earlier ones, and call again");
    }
}
