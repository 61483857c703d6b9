package io.fairlead;

import java.util.Optional;

/**
 * What a probe or a claim tells about a message that no receive has matched yet.
 *
 * <p>Made once by {@link Worker#newMessageInfo()} and filled again by each probe that finds something, so that probing allocates nothing. Belongs to
 * the worker's thread. Semantics: UCX {@code ucp_tag_recv_info_t} and {@code ucp_tag_message_h}.
 */
public interface MessageInfo {
    /**
     * The endpoint that the message came from.
     *
     * @return empty before the first probe that found something
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
     * @return true between a claim that found something and the receive of it
     */
    boolean isClaimed();
}
