package io.fairlead.node;

import io.fairlead.FairleadException;
import io.fairlead.node.discovery.Member;
import java.util.List;

/**
 * Observes changes of a {@link PeerSet}. Calls come on a progress thread, one after the other, and must not block. What they throw is logged.
 */
public interface PeerSetObserver {
    /** No observer. */
    PeerSetObserver NONE = new PeerSetObserver() {};

    /**
     * The members have changed, or were found for the first time.
     *
     * @param members the members now
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
     * The resolver has failed. The members of its last answer stay, and it is queried again. Called once until there is an answer, and again for
     * another reason.
     *
     * @param cause why
     */
    default void unresolved(FairleadException cause) {}
}
