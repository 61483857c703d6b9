package io.fairlead.spi;

import io.fairlead.Incubating;
import io.fairlead.MessageInfo;
import java.util.Optional;

/**
 * A message as the {@link io.fairlead.MatchHandler} of a layer sees it: its {@link MessageInfo}, and the result of the
 * preceding header message.
 */
@Incubating
public interface PrefacedMessage extends MessageInfo {
    /**
     * The result of {@link LayerHandler#preface} for the message right before this one.
     *
     * @return the object; empty if that message was not a header message
     */
    Optional<Object> preface();
}
