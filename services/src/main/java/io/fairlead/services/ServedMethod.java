package io.fairlead.services;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceRequest;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the calls of a method by an object that has it. Thread-safe if the object is. */
final class ServedMethod implements ServiceHandler {
    private static final Logger LOG = LoggerFactory.getLogger(TypedService.class);

    private final ServiceMethod method;
    private final Object target;
    private final CallHead head;
    private final MethodCoders coders;
    private final boolean messagesToCallers;

    ServedMethod(ServiceMethod method, Object target, CallHead head, MethodCoders coders, boolean messagesToCallers) {
        this.method = method;
        this.target = target;
        this.head = head;
        this.coders = coders;
        this.messagesToCallers = messagesToCallers;
    }

    @Override
    public void handle(ServiceRequest request) throws Exception {
        Object returned = call(request);
        if (returned instanceof CompletionStage<?> stage && method.shape() == ServiceMethod.Shape.FUTURE) {
            CompletableFuture<?> future = stage.toCompletableFuture();
            request.onCancel(() -> future.cancel(true));
            // Its own result would have nobody to look at it.
            var _ = stage.whenComplete((value, failure) -> answer(request, value, failure));
        } else {
            request.reply(coders.encodeResult(returned).segment());
        }
    }

    /** Calls the method with a request's argument. */
    @Nullable Object call(ServiceRequest request) throws Exception {
        Object argument = coders.decodeArgument(head.behind(request.segment()));
        try {
            return argument == null
                    ? method.method().invoke(target)
                    : method.method().invoke(target, argument);
        } catch (InvocationTargetException thrown) {
            switch (thrown.getCause()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                case null, default -> throw thrown;
            }
        }
    }

    /** Ends a request by what a future had. */
    private void answer(ServiceRequest request, @Nullable Object value, @Nullable Throwable failure) {
        Throwable cause = failure;
        if (cause == null) {
            try {
                request.reply(coders.encodeResult(value).segment());
                return;
            } catch (RequestException unwritable) {
                cause = unwritable;
            }
        }
        RequestException refusal = refusal(cause);
        request.fail(refusal.status(), refusal.text());
    }

    /** What the caller gets of an exception, as the node does it for handlers that throw. */
    RequestException refusal(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof RequestException chosen) {
            return chosen;
        }
        LOG.warn("a method of a typed service failed; method={}", method.name(), cause);
        String message = messagesToCallers ? cause.getMessage() : null;
        return new RequestException(
                RequestStatus.FAILED,
                "the handler threw " + cause.getClass().getSimpleName() + (message == null ? "" : ": " + message));
    }
}
