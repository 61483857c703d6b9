package io.fairlead.testkit.contract;

import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecurityProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Counts the engines of TLS that contexts make for connections which they accept. Thread-safe. */
final class CountedSecurity {
    private final AtomicInteger engines = new AtomicInteger();

    /** Opens contexts whose engines are counted. */
    <T> T during(Supplier<T> body) {
        List<SecurityProvider> counted = SecurityProviders.present().stream()
                .map(provider -> counting(SecurityProvider.class, provider))
                .toList();
        return SecurityProviders.with(counted, body);
    }

    /** How many there were. */
    int engines() {
        return engines.get();
    }

    private <T> T counting(Class<T> type, T counted) {
        Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
            Object result = call(counted, method, arguments);
            if (method.getName().equals("listener")) {
                engines.incrementAndGet();
            }
            return result instanceof ConnectionSecurity security
                    ? counting(ConnectionSecurity.class, security)
                    : result;
        });
        return type.cast(proxy);
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
