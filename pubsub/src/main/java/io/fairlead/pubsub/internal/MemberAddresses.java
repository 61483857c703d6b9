package io.fairlead.pubsub.internal;

import io.fairlead.node.MemberWatch;
import io.fairlead.node.discovery.Member;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/** The addresses of a service's members, one after the other, so that each attempt to connect goes to the next. On the worker's thread. */
final class MemberAddresses implements Supplier<InetSocketAddress> {
    private final MemberWatch watch;
    private InetSocketAddress last;
    private int turn;

    /**
     * Begins with the first.
     *
     * @param watch has members
     */
    MemberAddresses(MemberWatch watch) {
        this.watch = watch;
        this.last = watch.members().getFirst().address();
    }

    @Override
    public InetSocketAddress get() {
        List<Member> members = watch.members();
        if (!members.isEmpty()) {
            last = members.get(turn++ % members.size()).address();
        }
        return last;
    }
}
