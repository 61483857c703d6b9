package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.handshake.Selection.Selected;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The paths of one handshake that were chosen and could not be set up, with their causes. */
final class PathFailures {
    private final Map<String, String> causes = new TreeMap<>();
    private @Nullable FairleadException first;

    /**
     * Adds a path.
     *
     * @param side the side whose transport failed: the listener or the connector
     */
    void add(String transport, String side, FairleadException cause) {
        causes.put(transport, "the " + side + " cannot set it up: " + cause.getMessage());
        if (first == null) {
            first = cause;
        }
    }

    /** Whether the path over a transport has failed. */
    boolean contains(String transport) {
        return causes.containsKey(transport);
    }

    /** The causes, by the transports' names. */
    Map<String, String> causes() {
        return Collections.unmodifiableMap(causes);
    }

    boolean isEmpty() {
        return causes.isEmpty();
    }

    /** A selection whose reason names these paths, even if it omits the obstacles of better ones. */
    Selection named(Selection selection) {
        if (!(selection instanceof Selected selected)) {
            return selection;
        }
        StringBuilder reason = new StringBuilder(selected.reason());
        causes.forEach((transport, cause) -> {
            String text = transport + ": " + cause;
            if (reason.indexOf(text) < 0) {
                reason.append("; ").append(text);
            }
        });
        return new Selected(selected.transport(), selected.reach(), selected.cause(), reason.toString());
    }

    /**
     * Why no path is left.
     *
     * @param reason why no other path was chosen
     */
    FairleadException none(String reason) {
        FairleadException cause = first;
        if (cause == null) {
            return new FairleadException(Reason.NO_PATH, reason);
        }
        return causes.size() == 1
                ? cause
                : new FairleadException(cause.reason(), "no path can be set up: " + reason, cause);
    }

    /** Converts an exception of a transport. */
    static FairleadException of(String transport, Throwable thrown) {
        return thrown instanceof FairleadException known
                ? known
                : new FairleadException(
                        Reason.TRANSPORT, "the transport threw: transport=" + transport + ", cause: " + thrown, thrown);
    }

    /** Whether the next path may be tried: a peer that breaks the rules gets no other one. */
    static boolean mayTryNext(FairleadException cause) {
        return cause.reason() != Reason.PROTOCOL_VIOLATION;
    }
}
