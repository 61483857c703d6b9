package io.fairlead.services;

import io.fairlead.services.ServiceMethod.Shape;
import java.lang.invoke.MethodType;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the interface of a typed service, and refuses what cannot be called from another process. Both sides check before the first call, so that a
 * mistake shows when the process starts.
 */
final class ServiceInterface {
    private static final int NAME_MAX = 200;

    private ServiceInterface() {}

    /** The name of a service between processes. */
    static String name(Class<?> type) {
        return wireName(type.getAnnotation(WireName.class), type.getName(), type.getName());
    }

    /** The methods that callers reach, sorted by name. Default and static methods run at the caller. */
    static List<ServiceMethod> methods(Class<?> type) {
        if (!type.isInterface() || type.isAnnotation()) {
            throw new IllegalArgumentException(
                    "a typed service needs an interface: type=" + type.getName() + "; declare its methods in one");
        }
        if (type.getTypeParameters().length > 0) {
            throw new IllegalArgumentException("the interface of a typed service has type parameters: type="
                    + type.getName() + "; name the types in its methods");
        }
        String service = name(type);
        List<ServiceMethod> methods = Arrays.stream(type.getMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .map(method -> method(type, service, method))
                .sorted(Comparator.comparing(ServiceMethod::name))
                .toList();
        if (methods.isEmpty()) {
            throw new IllegalArgumentException("the interface of a typed service has no method: type=" + type.getName()
                    + "; declare an abstract one");
        }
        requireDistinct(type, methods);
        return methods;
    }

    private static void requireDistinct(Class<?> type, List<ServiceMethod> methods) {
        Map<String, Method> byName = new HashMap<>();
        Map<Long, String> byTag = new HashMap<>();
        for (ServiceMethod each : methods) {
            if (byName.put(each.name(), each.method()) != null) {
                throw misdeclared(
                        type, each.method(), "is there twice under the name " + each.name(), "name each differently");
            }
            for (long tag : each.shape() == Shape.STREAM
                    ? new long[] {each.tag(), each.streamTag()}
                    : new long[] {each.tag()}) {
                String other = byTag.put(tag, each.name());
                if (other != null) {
                    throw misdeclared(
                            type,
                            each.method(),
                            "has the tag of " + other + ", tag=" + tag,
                            "give one of them another @WireName");
                }
            }
        }
    }

    private static ServiceMethod method(Class<?> type, String service, Method method) {
        if (method.getTypeParameters().length > 0) {
            throw misdeclared(type, method, "has type parameters", "name the types");
        }
        if (method.getParameterCount() > 1) {
            throw misdeclared(
                    type, method, "has parameters=" + method.getParameterCount() + ", allowed 0 or 1", "use a record");
        }
        for (Class<?> thrown : method.getExceptionTypes()) {
            if (!RuntimeException.class.isAssignableFrom(thrown) && !Error.class.isAssignableFrom(thrown)) {
                throw misdeclared(
                        type,
                        method,
                        "declares " + thrown.getSimpleName() + ", which does not reach a caller",
                        "throw a RequestException");
            }
        }
        Type argument =
                method.getParameterCount() == 0 ? null : concrete(type, method, method.getGenericParameterTypes()[0]);
        Class<?> returned = method.getReturnType();
        Shape shape = Shape.VALUE;
        Type result = method.getGenericReturnType();
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            shape = Shape.FUTURE;
            result = onlyArgument(type, method, result);
        } else if (returned == Flow.Publisher.class) {
            shape = Shape.STREAM;
            result = onlyArgument(type, method, result);
        } else if (Future.class.isAssignableFrom(returned) || Stream.class.isAssignableFrom(returned)) {
            throw misdeclared(
                    type,
                    method,
                    "returns " + returned.getSimpleName(),
                    "return a value, a CompletableFuture, or a Flow.Publisher");
        }
        String name =
                service + "/" + wireName(method.getAnnotation(WireName.class), method.getName(), label(type, method));
        @Nullable Type boxed = result == void.class || result == Void.class ? null : concrete(type, method, result);
        if (boxed == null && shape == Shape.STREAM) {
            throw misdeclared(type, method, "is a stream of Void", "publish items of another type");
        }
        return new ServiceMethod(method, name, shape, argument, boxed);
    }

    private static Type onlyArgument(Class<?> type, Method method, Type returned) {
        if (returned instanceof ParameterizedType parameterized) {
            return parameterized.getActualTypeArguments()[0];
        }
        throw misdeclared(
                type, method, "returns a raw " + method.getReturnType().getSimpleName(), "name its type");
    }

    /** Codecs get types that are known, since nothing at run time would complete them. */
    private static Type concrete(Class<?> type, Method method, Type used) {
        if (used instanceof Class<?> plain) {
            return MethodType.methodType(plain).wrap().returnType();
        }
        if (!isConcrete(used)) {
            throw misdeclared(
                    type, method, "uses " + used.getTypeName() + ", which is no concrete type", "name the type");
        }
        return used;
    }

    private static boolean isConcrete(Type used) {
        return switch (used) {
            case TypeVariable<?> _, WildcardType _ -> false;
            case GenericArrayType array -> isConcrete(array.getGenericComponentType());
            case ParameterizedType parameterized ->
                Arrays.stream(parameterized.getActualTypeArguments()).allMatch(ServiceInterface::isConcrete);
            default -> true;
        };
    }

    private static String wireName(@Nullable WireName chosen, String otherwise, String of) {
        if (chosen == null) {
            return otherwise;
        }
        String name = chosen.value();
        if (name.isBlank() || name.length() > NAME_MAX || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("@WireName of " + of + " is blank, has a slash, or more than " + NAME_MAX
                    + " characters: name=" + name);
        }
        return name;
    }

    private static String label(Class<?> type, Method method) {
        return type.getSimpleName() + "." + method.getName();
    }

    private static IllegalArgumentException misdeclared(Class<?> type, Method method, String fault, String remedy) {
        return new IllegalArgumentException(
                "method of a typed service " + fault + ": method=" + label(type, method) + "; " + remedy);
    }
}
