package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.node.discovery.Member;
import java.util.List;

/**
 * Is told of what changes in a {@link PeerSet}. Calls come on a progress thread, one after the other, where they must not block; what they throw is
 * logged.
 */
public interface PeerSetObserver {
    /** No observer. */
    PeerSetObserver NONE = new PeerSetObserver() {};

    /**
     * The members are others than before, or were found for the first time.
     *
     * @param members who they are now
     */
    default void changed(List<Member> members) {}

    /**
     * A member is connected.
     *
     * @param member which
     * @param peer its peer, until it is lost
     */
    default void connected(Member member, Peer peer) {}

    /**
     * The connection to a member has ended, or could not be made. It is tried again for as long as the member belongs to the set.
     *
     * @param member which
     * @param cause why
     */
    default void lost(Member member, FairleadException cause) {}

    /**
     * The members could not be found out. Those of the last answer stay, and the question is asked again. Told once until there is an answer, and again for another
     * reason.
     *
     * @param cause why
     */
    default void unresolved(FairleadException cause) {}
}
