package io.fairlead.services;

import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.services.ServiceMethod.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Turns calls of an interface into requests. Thread-safe. */
final class ClientProxy implements InvocationHandler {
    private final String label;
    private final Requester requester;
    private final Duration deadline;
    private final Map<Method, Call> calls = new HashMap<>();

    /** A peer, or a set of peers. */
    interface Requester {
        CompletableFuture<Message> request(MemorySegment message, long tag, RequestOptions options);
    }

    /** What a call needs of its method. */
    private record Call(
            ServiceMethod method,
            long tag,
            CallHead head,
            MethodCoders coders,
            boolean idempotent,
            RemotePublisher.@Nullable Heads streaming) {}

    private ClientProxy(String label, Requester requester, Duration deadline) {
        this.label = label;
        this.requester = requester;
        this.deadline = deadline;
    }

    static <T> T create(
            Class<T> type, Node node, Requester requester, PayloadCodec codec, ClientOptions options, Object to) {
        ClientProxy handler = new ClientProxy(
                "client of " + ServiceInterface.name(type) + " by " + codec.name() + " at " + to,
                requester,
                options.deadline());
        for (ServiceMethod method : ServiceInterface.methods(type)) {
            boolean streaming = method.shape() == Shape.STREAM;
            node.nameService(method.tag(), method.label());
            if (streaming) {
                node.nameService(method.streamTag(), method.streamLabel());
            }
            Call call = new Call(
                    method,
                    method.tag(),
                    new CallHead(streaming ? CallHead.OPEN : CallHead.CALL, codec),
                    new MethodCoders(method, codec, options.payloadMax()),
                    method.isIdempotent(),
                    streaming ? RemotePublisher.Heads.of(method, codec) : null);
            handler.calls.put(method.method(), call);
        }
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // Two proxies are equal if they are one.
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Call call = calls.get(method);
        if (call != null) {
            return call(call, arguments);
        }
        if (method.isDefault()) {
            return InvocationHandler.invokeDefault(proxy, method, arguments);
        }
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> label;
        };
    }

    private @Nullable Object call(Call call, Object @Nullable [] arguments) {
        PayloadBuffer message = call.coders().encodeArgument(call.head(), arguments);
        Duration left = CallDeadline.left(deadline);
        if (call.streaming() != null) {
            return new RemotePublisher(
                    call.method().name(),
                    requester,
                    call.tag(),
                    call.streaming(),
                    call.coders(),
                    message.segment(),
                    left);
        }
        RequestOptions options = RequestOptions.within(left);
        CompletableFuture<Message> reply =
                requester.request(message.segment(), call.tag(), call.idempotent() ? options.asIdempotent() : options);
        return call.method().shape() == Shape.FUTURE ? new Reply(call, reply) : await(call, reply);
    }

    private static @Nullable Object await(Call call, CompletableFuture<Message> reply) {
        try {
            return result(call, reply.get());
        } catch (ExecutionException failed) {
            throw named(call, failed.getCause());
        } catch (InterruptedException interrupted) {
            reply.cancel(false);
            Thread.currentThread().interrupt();
            throw new RequestException(
                    RequestStatus.CANCELLED,
                    call.method().name() + ": the thread was interrupted while it waited",
                    interrupted);
        }
    }

    private static @Nullable Object result(Call call, Message reply) {
        try (reply) {
            return call.coders().decodeResult(reply.segment());
        }
    }

    /** The failure with the method's name, thrown where the caller is. */
    private static RuntimeException named(Call call, @Nullable Throwable failure) {
        return switch (failure) {
            case RequestException refused -> named(call.method().name(), refused);
            case RuntimeException other -> other;
            case null, default -> new CompletionException(failure);
        };
    }

    /** A refusal with the method's name. Callers of a typed service know no tags, so that a tag without a service is explained. */
    static RequestException named(String method, RequestException refused) {
        boolean unknown = refused.status() == RequestStatus.UNIMPLEMENTED && refused.isSafeToRetry();
        String hint = unknown ? "; the tag stands for interface and method, whose names both ends must share" : "";
        return refused.withMessage(method + ": " + refused.getMessage() + hint);
    }

    /** The future of a call. Giving it another end cancels the request. */
    private static final class Reply extends CompletableFuture<@Nullable Object> {
        Reply(Call call, CompletableFuture<Message> reply) {
            // Whoever cancels it, or lets it time out, waits for no answer.
            var _ = whenComplete((_, _) -> reply.cancel(false));
            var _ = reply.whenComplete((message, failure) -> {
                if (failure != null) {
                    completeExceptionally(
                            named(call, failure instanceof CompletionException ? failure.getCause() : failure));
                    return;
                }
                try {
                    complete(result(call, message));
                } catch (RuntimeException unreadable) {
                    completeExceptionally(unreadable);
                }
            });
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
