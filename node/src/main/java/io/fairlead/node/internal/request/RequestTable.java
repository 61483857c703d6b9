package io.fairlead.node.internal.request;

import io.fairlead.node.internal.frame.RequestFrame;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requests that one peer has been sent and has not answered. Each has a slot, which its id names. A slot is free again when the answer is
 * here, whether or not the caller still waits. So every answer has a request, and any other answer is a protocol violation. Belongs to the
 * loop's thread.
 */
final class RequestTable {
    private static final byte FREE = 0;
    private static final byte OUTSTANDING = 1;
    /** Its answer is arriving. */
    private static final byte ARRIVING = 2;

    private @Nullable NodeRequest[] requests = new NodeRequest[16];
    private byte[] states = new byte[16];
    private byte[] generations = new byte[16];
    private int[] free = new int[16];
    private int freeCount;
    private int made;

    /** Takes a slot, and returns the id of the request. The caller bounds their number. */
    int add(NodeRequest request) {
        int slot = freeCount > 0 ? free[--freeCount] : make();
        requests[slot] = request;
        states[slot] = OUTSTANDING;
        generations[slot]++;
        return RequestFrame.id(slot, generations[slot]);
    }

    private int make() {
        if (made == requests.length) {
            requests = Arrays.copyOf(requests, 2 * made);
            states = Arrays.copyOf(states, 2 * made);
            generations = Arrays.copyOf(generations, 2 * made);
            free = Arrays.copyOf(free, 2 * made);
        }
        return made++;
    }

    /** An answer begins to arrive. Returns false if it answers no outstanding request. */
    boolean tryBeginAnswer(int id) {
        if (!isOutstanding(id)) {
            return false;
        }
        states[RequestFrame.slot(id)] = ARRIVING;
        return true;
    }

    /** Whether a request is not answered, and its answer does not arrive either. */
    boolean isOutstanding(int id) {
        int slot = RequestFrame.slot(id);
        return slot < made && states[slot] == OUTSTANDING && id == RequestFrame.id(slot, generations[slot]);
    }

    /** The request of an id that is outstanding; null if its caller has given up. */
    @Nullable NodeRequest request(int id) {
        return requests[RequestFrame.slot(id)];
    }

    /** The caller of a request has given up. Its slot stays taken until the answer is here. */
    void abandon(int id) {
        requests[RequestFrame.slot(id)] = null;
    }

    /** Frees the slot of a request. */
    void remove(int id) {
        int slot = RequestFrame.slot(id);
        requests[slot] = null;
        states[slot] = FREE;
        free[freeCount++] = slot;
    }

    /** How many slots are taken. */
    int count() {
        return made - freeCount;
    }

    /** The most slots that were taken at once. */
    int slots() {
        return made;
    }

    /** The request in a slot; null if there is none, or its caller has given up. */
    @Nullable NodeRequest at(int slot) {
        return requests[slot];
    }

    /** Forgets all. */
    void clear() {
        Arrays.fill(requests, 0, made, null);
        Arrays.fill(states, 0, made, FREE);
        for (freeCount = 0; freeCount < made; freeCount++) {
            free[freeCount] = made - 1 - freeCount;
        }
    }
}
