package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.discovery.Member;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses of a service's members, one after the other, so that each attempt to connect goes to the next. On the worker's thread. */
final class MemberAddresses implements PublisherAddresses {
    private final MemberWatch watch;
    /** Tried while the service has no member. */
    private @Nullable InetSocketAddress last;

    private int turn;

    MemberAddresses(MemberWatch watch) {
        this.watch = watch;
    }

    @Override
    public @Nullable InetSocketAddress next() {
        List<Member> members = watch.members();
        boolean unknown =
                members.isEmpty() && !watch.isResolved() && watch.failure().isEmpty();
        if (unknown) {
            return null;
        }
        if (turn++ > 0) {
            // An attempt has failed, or a connection was lost: the member may be gone, or have another address.
            watch.refresh();
        }
        if (!members.isEmpty()) {
            last = members.get(Math.floorMod(turn - 1, members.size())).address();
        }
        if (last == null) {
            throw new FairleadException(
                    Reason.NOT_CONNECTED,
                    "a service has no publisher: name=" + watch.name()
                            + watch.failure()
                                    .map(cause -> ", and its members are not known: " + cause.getMessage())
                                    .orElse(", members=0; start one, and register it under this name"));
        }
        return last;
    }

    @Override
    public boolean isService() {
        return true;
    }

    @Override
    public boolean hasOthers() {
        return watch.members().size() > 1;
    }
}
