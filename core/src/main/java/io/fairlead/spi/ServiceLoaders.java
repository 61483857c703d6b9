package io.fairlead.spi;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The class loaders for providers: first the loader of the service itself, which is Fairlead's, and then the thread's
 * context loader. The context loader alone would make the result depend on the thread. In common pools, servlets and
 * OSGi it may not see Fairlead, or see another copy of it.
 */
public final class ServiceLoaders {
    private ServiceLoaders() {}

    /**
     * The loaders of a service.
     *
     * @param <T> the service
     * @param service the service
     * @param load creates a service loader, in the module that uses the service
     * @return Fairlead's own loader first; then the thread's, if it may find more
     */
    public static <T> List<ServiceLoader<T>> of(Class<T> service, Function<ClassLoader, ServiceLoader<T>> load) {
        ClassLoader own = service.getClassLoader();
        List<ServiceLoader<T>> loaders = new ArrayList<>();
        loaders.add(load.apply(own));
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        if (ofThread != null && !isSameOrParent(ofThread, own) && sees(ofThread, service)) {
            loaders.add(load.apply(ofThread));
        }
        return loaders;
    }

    /**
     * Every provider of a service, each class once.
     *
     * @param <T> the service
     * @param service the service
     * @param load creates a service loader, in the module that uses the service
     * @return the providers
     * @throws java.util.ServiceConfigurationError if one cannot be loaded
     */
    public static <T> List<T> all(Class<T> service, Function<ClassLoader, ServiceLoader<T>> load) {
        List<T> found = new ArrayList<>();
        Set<Class<?>> classes = new HashSet<>();
        for (ServiceLoader<T> loader : of(service, load)) {
            loader.stream()
                    .filter(provider -> classes.add(provider.type()))
                    .map(ServiceLoader.Provider::get)
                    .forEach(found::add);
        }
        return List.copyOf(found);
    }

    private static boolean isSameOrParent(ClassLoader candidate, ClassLoader of) {
        for (@Nullable ClassLoader loader = of; loader != null; loader = loader.getParent()) {
            if (loader.equals(candidate)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a loader sees this copy of the service. Providers of another copy belong to another application. */
    private static boolean sees(ClassLoader loader, Class<?> service) {
        try {
            return Class.forName(service.getName(), false, loader).equals(service);
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }
}
