package io.fairlead.spi;

import io.fairlead.Incubating;
import io.fairlead.MessageInfo;
import java.util.Optional;

/** What a layer's {@link io.fairlead.MatchHandler} is told of a message: as {@link MessageInfo}, and what the layer's own message before it has come to. */
@Incubating
public interface PrefacedMessage extends MessageInfo {
    /**
     * What {@link LayerHandler#preface} answered to the message before this one.
     *
     * @return empty if that was no preface
     */
    Optional<Object> preface();
}
