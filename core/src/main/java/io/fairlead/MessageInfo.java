package io.fairlead;

import java.util.Optional;

/**
 * What a probe or a claim reports about a message that no receive has matched yet.
 *
 * <p>Created once by {@link Worker#newMessageInfo()} and filled by each successful probe, so probing allocates nothing.
 * Belongs to the worker's thread. Semantics: UCX {@code ucp_tag_recv_info_t} and {@code ucp_tag_message_h}.
 */
public interface MessageInfo {
    /**
     * The endpoint that the message came from.
     *
     * @return empty before the first successful probe
     */
    Optional<Endpoint> source();

    /**
     * The message's tag.
     *
     * @return 48 bits
     */
    long tag();

    /**
     * The message's length.
     *
     * @return bytes
     */
    long length();

    /**
     * Whether this holds a claimed message that is still to be received with {@link Worker#receiveClaimed}.
     *
     * @return true between a successful claim and the receive of its message
     */
    boolean isClaimed();
}
