// apps/view/beast.cpp - what of Boost.Asio and Boost.Beast is no template, compiled once
#include <utility>  // Asio 1.18 needs it

#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
