package io.fairlead.internal.matching;

import org.jspecify.annotations.Nullable;

/** Posted receives, oldest first. */
final class PostedList {
    @Nullable PostedReceive first;

    private @Nullable PostedReceive last;

    void append(PostedReceive receive) {
        receive.postedIn = this;
        receive.previousPosted = last;
        receive.nextPosted = null;
        if (last == null) {
            first = receive;
        } else {
            last.nextPosted = receive;
        }
        last = receive;
    }

    void remove(PostedReceive receive) {
        PostedReceive before = receive.previousPosted;
        PostedReceive after = receive.nextPosted;
        if (before == null) {
            first = after;
        } else {
            before.nextPosted = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previousPosted = before;
        }
        receive.postedIn = null;
        receive.previousPosted = null;
        receive.nextPosted = null;
    }
}
