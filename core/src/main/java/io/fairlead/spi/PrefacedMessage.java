package io.fairlead.spi;

import io.fairlead.Incubating;
import io.fairlead.MessageInfo;
import java.util.Optional;

/** A message as the {@link io.fairlead.MatchHandler} of a layer sees it: its {@link MessageInfo}, and the result of the preface that came before it. */
@Incubating
public interface PrefacedMessage extends MessageInfo {
    /**
     * What {@link LayerHandler#preface} returned for the message right before this one.
     *
     * @return the object; empty if that message was no preface
     */
    Optional<Object> preface();
}
