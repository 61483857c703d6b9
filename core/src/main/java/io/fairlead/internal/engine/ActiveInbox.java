package io.fairlead.internal.engine;

import io.fairlead.ActiveMessageHandler;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The active messages of one endpoint that wait for earlier ones or whose payloads are at the sender, and the layer's handler. */
final class ActiveInbox {
    /** Links of the messages before their handlers' turn, in order of arrival. */
    private @Nullable CoreActiveMessage first;

    private @Nullable CoreActiveMessage last;
    /** A message was lost with the endpoint, or the endpoint is over: no later message is handled. */
    boolean broken;

    private @Nullable Set<CoreActiveMessage> atSender;
    /** The layer's handler for this endpoint alone, and its number. */
    private @Nullable ActiveMessageHandler handler;

    private int handlerNumber;

    void register(int number, ActiveMessageHandler layer) {
        handlerNumber = number;
        handler = layer;
    }

    @Nullable ActiveMessageHandler handlerOf(int number) {
        return number == handlerNumber ? handler : null;
    }

    boolean isEmpty() {
        return first == null;
    }

    void add(CoreActiveMessage message) {
        if (last == null) {
            first = message;
        } else {
            last.next = message;
        }
        last = message;
    }

    /** Removes the first message if it waits for nothing; null if there is none. */
    @Nullable CoreActiveMessage poll() {
        CoreActiveMessage message = first;
        if (message == null || message.state == CoreActiveMessage.ARRIVING) {
            return null;
        }
        first = message.next;
        message.next = null;
        if (first == null) {
            last = null;
        }
        return message;
    }

    void addAtSender(CoreActiveMessage message) {
        if (atSender == null) {
            atSender = Collections.newSetFromMap(new IdentityHashMap<>());
        }
        atSender.add(message);
    }

    void removeAtSender(CoreActiveMessage message) {
        if (atSender != null) {
            atSender.remove(message);
        }
    }

    /** Removes the messages whose payloads are at the sender. */
    Set<CoreActiveMessage> takeAtSender() {
        Set<CoreActiveMessage> taken = atSender;
        atSender = null;
        return taken == null ? Set.of() : taken;
    }
}
